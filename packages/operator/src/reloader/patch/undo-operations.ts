/**
 * One JSON patch that sets our own fields on a pod template back to their earlier values, and writes the ledger. Pure.
 *
 * Guarantees: as for a reload, the patch tests the name that we expect at each index. Each of our variables gets its
 * earlier position, so that the template equals that of the earlier revision.
 */
import type { JsonPatchOperation } from '@reloader/runtime';
import { type OwnFields, ownFieldsOf } from '../model/own-fields.ts';
import type { ReloadPlan, UndoPlan } from '../model/plan.ts';
import { type EnvSlot, isCustom } from '../model/workload.ts';
import { annotationOperations, ledgerChange } from './ledger-operations.ts';
import { pointer, remove, set, test, testsFirst } from './operations.ts';
import { sameMark, sameVersion, usedUp } from './reload-operations.ts';

const TEMPLATE = ['spec', 'template'];

/** Undefined if a variable was on a container that no longer exists at its index. */
export function undoOperations(
  plan: ReloadPlan,
  { ledgerAfter }: UndoPlan,
  before: OwnFields,
): JsonPatchOperation[] | undefined {
  const { workload, ledgerBefore } = plan;
  const now = ownFieldsOf(workload);
  const isCustomKind = isCustom(workload.kind);
  const isKnown = ({ containerIndex, container }: EnvSlot): boolean =>
    workload.containers[containerIndex]?.name === container;
  if (!before.slots.every(isKnown)) return undefined;
  return testsFirst([
    ...annotationOperations(workload, { ...ledgerChange(ledgerBefore, ledgerAfter), ...usedUp(plan) }),
    // Custom kinds: the tests cannot cover all concurrent changes of a list or map, so test the resourceVersion.
    ...(isCustomKind ? [sameVersion(plan)] : []),
    ...sameMark(plan),
    ...workload.containers.flatMap(({ name, envCount }, index) => {
      const on = ({ containerIndex }: EnvSlot): boolean => containerIndex === index;
      return variableOperations(
        { name, envCount, index, isCustomKind },
        now.slots.filter(on),
        before.slots.filter(on),
      );
    }),
    ...markOperations(now, before),
  ]);
}

interface Container {
  readonly name: string;
  readonly index: number;
  readonly envCount: number;
  readonly isCustomKind: boolean;
}

/** Replaces values in place if our variables have the same positions; otherwise removes and adds all of ours. */
function variableOperations(
  { name, index, envCount, isCustomKind }: Container,
  now: readonly EnvSlot[],
  before: readonly EnvSlot[],
): JsonPatchOperation[] {
  const path = [...TEMPLATE, 'spec', 'containers', index];
  const changed = before.filter(
    (slot, at) => now[at]?.value !== slot.value || now[at]?.name !== slot.name || !isSamePlace(now[at], slot),
  );
  if (changed.length === 0 && now.length === before.length) return [];
  const tests = [
    test(pointer(...path, 'name'), name),
    ...now.map((slot) => test(pointer(...path, 'env', slot.envIndex, 'name'), slot.name)),
  ];
  const isInPlace =
    now.length === before.length &&
    before.every((slot, at) => now[at]?.name === slot.name && isSamePlace(now[at], slot));
  if (isInPlace) {
    const replaced = changed.map(({ envIndex, name: variable, value }) => ({
      op: 'replace' as const,
      path: pointer(...path, 'env', envIndex),
      value: { name: variable, value },
    }));
    return [...tests, ...replaced];
  }
  // The API server drops an empty list in built-in kinds, but keeps it in custom kinds, so remove the list itself.
  if (isCustomKind && before.length === 0 && now.length === envCount) {
    const list = pointer(...path, 'env');
    return [
      ...tests,
      test(
        list,
        now.map((slot) => ({ name: slot.name, value: slot.value })),
      ),
      remove(list),
    ];
  }
  // Remove from the end and add from the start, so that the other indexes stay valid.
  const removed = now
    .toSorted((a, b) => b.envIndex - a.envIndex)
    .map(({ envIndex }) => remove(pointer(...path, 'env', envIndex)));
  const list = envCount === 0 && before.length > 0 ? [set(pointer(...path, 'env'), [])] : [];
  const added = before
    .toSorted((a, b) => a.envIndex - b.envIndex)
    .map(({ envIndex, name: variable, value }) =>
      set(pointer(...path, 'env', envIndex), { name: variable, value }),
    );
  return [...tests, ...removed, ...list, ...added];
}

function isSamePlace(one: EnvSlot | undefined, other: EnvSlot): boolean {
  return one?.envIndex === other.envIndex;
}

function markOperations(now: OwnFields, before: OwnFields): JsonPatchOperation[] {
  const names = [...new Set([...Object.keys(now.annotations), ...Object.keys(before.annotations)])];
  return names.flatMap((name) => {
    const path = pointer(...TEMPLATE, 'metadata', 'annotations', name);
    const [stands, wanted] = [now.annotations[name], before.annotations[name]];
    if (stands === wanted) return [];
    return wanted === undefined ? [test(path, stands), remove(path)] : [set(path, wanted)];
  });
}
