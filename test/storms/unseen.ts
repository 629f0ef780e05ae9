/**
 * Changes that no operator could know, from docs/limits.md: a source was changed and changed back while no operator
 * read it, or none lived to check the pods. Nothing else: a content that differs from the recorded one can always be
 * found.
 */
import type { Chronicle, Ref, Version } from '../reloader/chronicle.ts';
import { recordsOf } from '../reloader/records.ts';
import type { LogLine } from '../reloader/stage.ts';
import { digestsOf } from './digests.ts';

export interface Told {
  readonly log: readonly LogLine[];
  /** Milliseconds since the epoch; undefined while it runs. */
  readonly diedAt: number | undefined;
}

/** A content that a pod has and its source no longer has. */
export interface Held {
  readonly workload: Ref;
  /** The key of the source in the workload's ledger. */
  readonly key: string;
  readonly source: Ref;
  /** The source when the pod was created. */
  readonly version: Version;
  /** Milliseconds since the epoch: when the pod was created. */
  readonly since: number;
}

export type IsUnseen = (held: Held) => boolean;

export function unseenBy(operators: readonly Told[], chronicle: Chronicle): IsUnseen {
  return (held) => {
    const { workload, key, source, version } = held;
    if (!wasRecordedBefore(chronicle, workload, key, version)) return false;
    const digests = digestsOf(chronicle, source, version.object);
    return !operators.some((operator) => hadItsChance(operator, held, digests));
  };
}

/** The ledger already had its current entry before: an operator that saw neither change could not notice them. */
function wasRecordedBefore(chronicle: Chronicle, workload: Ref, key: string, { revision }: Version): boolean {
  const ledgers = recordsOf(chronicle, workload);
  const before = ledgers.filter((version) => version.revision < revision).at(-1);
  return before !== undefined && before.ledger.s[key] === ledgers.at(-1)?.ledger.s[key];
}

/**
 * True if the operator had the content in its cache, saw another one replace it, and lived to process the workload
 * after that: then it has to handle the pods created in between.
 */
function hadItsChance(
  { log, diedAt }: Told,
  { workload, source, since }: Held,
  digests: readonly unknown[],
): boolean {
  // It died before the pod was created: any change that it saw from this content was an earlier one.
  if (diedAt !== undefined && diedAt < since) return false;
  const sawItGo = log.findIndex(
    ({ message, values }) =>
      message === `${source.kind} data changed` &&
      values.namespace === source.namespace &&
      values.name === source.name &&
      digests.includes(values.oldHash),
  );
  if (sawItGo < 0) return false;
  const object = `${workload.kind}/${workload.namespace}/${workload.name}`;
  const looked = log
    .slice(sawItGo)
    .some(({ message, values }) => message === 'Reconcile completed' && values.object === object);
  return looked || diedAt === undefined;
}
