/**
 * What no operator could know, from docs/limits.md: a source that was changed and changed back while none of them read
 * it, or lived to look at the pods. Only that: another content than the recorded one is there to be found, however it came about.
 */
import type { Chronicle, Ref, Version } from '../reloader/chronicle.ts';
import { recordsOf } from '../reloader/records.ts';
import type { LogLine } from '../reloader/stage.ts';
import { digestsOf } from './digests.ts';

export interface Told {
  readonly log: readonly LogLine[];
  /** Milliseconds since the epoch; undefined for one that lives. */
  readonly diedAt: number | undefined;
}

/** What a pod has and is no longer there. */
export interface Held {
  readonly workload: Ref;
  /** Of the source, in the workload's ledger. */
  readonly key: string;
  readonly source: Ref;
  /** As it was when the pod was created. */
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

/** The ledger said before what it says now: to whoever saw neither change, nothing happened. */
function wasRecordedBefore(chronicle: Chronicle, workload: Ref, key: string, { revision }: Version): boolean {
  const ledgers = recordsOf(chronicle, workload);
  const before = ledgers.filter((version) => version.revision < revision).at(-1);
  return before !== undefined && before.ledger.s[key] === ledgers.at(-1)?.ledger.s[key];
}

/**
 * Whoever had it in its cache, saw something else take its place, and lived to look at the workload after that has to
 * deal with the pods from in between.
 */
function hadItsChance(
  { log, diedAt }: Told,
  { workload, source, since }: Held,
  digests: readonly unknown[],
): boolean {
  // What it saw go was the same content of an earlier time.
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
