/**
 * A change of a pod template as JSON patch operations. Pure.
 *
 * Guarantees: for each index the patch tests the name that we expect there. If another client has changed the template
 * in the meantime, the patch fails instead of changing the wrong container or variable.
 */
import type { JsonPatchOperation } from '@reloader/runtime';
import type { WorkloadFacts } from '../model/workload.ts';
import { pointer, remove, set, test } from './operations.ts';
import type { TemplateChange, VariableChange } from './template-change.ts';

export type TemplateShape = Pick<WorkloadFacts, 'containers' | 'slots' | 'hasTemplateAnnotations'>;

const TEMPLATE = ['spec', 'template'];

/**
 * Operations within `/spec/template`. With `typed` a map or list that must be created is tested to be absent; the
 * API server may keep empty ones of a custom resource, so there the caller tests the resourceVersion (`creates`).
 */
export function templateOperations(
  change: TemplateChange,
  shape: TemplateShape,
  typed: boolean,
): { readonly operations: JsonPatchOperation[]; readonly creates: boolean } {
  const operations: JsonPatchOperation[] = [];
  let creates = false;
  const createAt = (path: string, value: unknown): void => {
    creates = true;
    if (typed) operations.push(test(path, null));
    operations.push(set(path, value));
  };

  shape.containers.forEach(({ name: container, envCount }, index) => {
    const { replaced, removed, added } = sortOut(change.variables, shape, container);
    if (replaced.length + removed.length + added.length === 0) return;
    const path = [...TEMPLATE, 'spec', 'containers', index];
    operations.push(test(pointer(...path, 'name'), container));
    for (const { at, name, value } of replaced) {
      operations.push(test(pointer(...path, 'env', at, 'name'), name));
      // Replace the whole entry: another client may have added a `valueFrom`, which excludes `value`.
      operations.push({ op: 'replace', path: pointer(...path, 'env', at), value: { name, value } });
    }
    for (const { at, name } of removed) {
      operations.push(test(pointer(...path, 'env', at, 'name'), name));
    }
    // From the end, so that the other indexes stay valid.
    for (const { at } of removed.toSorted((a, b) => b.at - a.at)) {
      operations.push(remove(pointer(...path, 'env', at)));
    }
    if (envCount === 0 && added.length > 0) createAt(pointer(...path, 'env'), added);
    else for (const entry of added) operations.push(set(pointer(...path, 'env', '-'), entry));
  });

  const annotations = [...TEMPLATE, 'metadata', 'annotations'];
  if (!shape.hasTemplateAnnotations) createAt(pointer(...annotations), change.annotations);
  else {
    for (const [name, value] of Object.entries(change.annotations)) {
      operations.push(set(pointer(...annotations, name), value));
    }
  }
  return { operations, creates };
}

interface Sorted {
  readonly replaced: { readonly at: number; readonly name: string; readonly value: string }[];
  readonly removed: { readonly at: number; readonly name: string }[];
  readonly added: { readonly name: string; readonly value: string }[];
}

function sortOut(variables: readonly VariableChange[], shape: TemplateShape, container: string): Sorted {
  const sorted: Sorted = { replaced: [], removed: [], added: [] };
  for (const { name, value, container: wanted } of variables) {
    const standing = shape.slots.filter((slot) => slot.container === container && slot.name === name);
    if (value === undefined) {
      sorted.removed.push(...standing.map(({ envIndex }) => ({ at: envIndex, name })));
    } else if (wanted === container) {
      if (standing.length === 0) sorted.added.push({ name, value });
      else sorted.replaced.push(...standing.map(({ envIndex }) => ({ at: envIndex, name, value })));
    }
  }
  return sorted;
}
