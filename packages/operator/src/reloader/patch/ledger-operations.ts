/**
 * Writes the ledger by compare-and-swap on our own annotation. Pure.
 *
 * Guarantees: the patch applies only to this workload (uid), and only while the ledger is the one that the decision
 * was based on. Writes of a controller or an autoscaler in the meantime are no conflict.
 */
import type { JsonPatchOperation } from '@reloader/runtime';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { pointer, remove, set, test } from './operations.ts';

const ANNOTATIONS = ['metadata', 'annotations'];

export type Annotated = Pick<WorkloadFacts, 'hasAnnotations'> & {
  readonly metadata: Pick<WorkloadFacts['metadata'], 'uid'>;
};

export interface AnnotationChange {
  readonly before: string | undefined;
  /** Undefined: it is removed. */
  readonly after: string | undefined;
}

/** Changes annotations on the workload's own metadata, each with a test of its previous value. */
export function annotationOperations(
  { metadata, hasAnnotations }: Annotated,
  changes: Readonly<Record<string, AnnotationChange>>,
): JsonPatchOperation[] {
  const operations = [test(pointer('metadata', 'uid'), metadata.uid)];
  if (!hasAnnotations) {
    const wanted = Object.entries(changes).flatMap(([name, { after }]) =>
      after === undefined ? [] : [[name, after] as const],
    );
    operations.push(test(pointer(...ANNOTATIONS), null));
    if (wanted.length > 0) operations.push(set(pointer(...ANNOTATIONS), Object.fromEntries(wanted)));
    return operations;
  }
  for (const [name, { before, after }] of Object.entries(changes)) {
    const path = pointer(...ANNOTATIONS, name);
    operations.push(test(path, before));
    if (after !== undefined) operations.push(set(path, after));
    else if (before !== undefined) operations.push(remove(path));
  }
  return operations;
}

export function ledgerChange(
  before: string | undefined,
  after: string,
): Readonly<Record<string, AnnotationChange>> {
  return { [FIXED_ANNOTATIONS.ledger]: { before, after } };
}
