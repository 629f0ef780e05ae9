/**
 * What no operator could know, from docs/limits.md: a source that was changed and changed back while none of them read
 * it, or lived to look at the pods. Only that: another content than the recorded one is there to be found, however it came about.
 */
import { contentOf, ledgersOf } from '../reloader/checks/history.ts';
import type { Chronicle, Ref, Version } from '../reloader/chronicle.ts';
import type { LogLine } from '../reloader/stage.ts';
import { digestOf } from './digests.ts';

export interface Told {
  readonly log: readonly LogLine[];
  readonly isDead: boolean;
}

/** For content that a pod has and that is no longer there; `key` is that of its source in the ledger of `workload`. */
export type IsUnseen = (workload: Ref, key: string, source: Ref, content: string) => boolean;

export function unseenBy(operators: readonly Told[], chronicle: Chronicle): IsUnseen {
  return (workload, key, source, content) => {
    const versions = chronicle.of(source).filter(({ object }) => contentOf(object) === content);
    const [first] = versions;
    if (!first || !wasRecordedBefore(chronicle, workload, key, first)) return false;
    const digest = digestOf(chronicle, source, first.object);
    return !operators.some((operator) => hadItsChance(operator, workload, source, digest));
  };
}

/** The ledger said before what it says now: to whoever saw neither change, nothing happened. */
function wasRecordedBefore(chronicle: Chronicle, workload: Ref, key: string, { revision }: Version): boolean {
  const ledgers = ledgersOf(chronicle.of(workload));
  const before = ledgers.filter((version) => version.revision < revision).at(-1);
  return before !== undefined && before.ledger.s[key] === ledgers.at(-1)?.ledger.s[key];
}

/**
 * Whoever had it in its cache, saw something else take its place, and lived to look at the workload after that has to
 * deal with the pods from in between.
 */
function hadItsChance({ log, isDead }: Told, workload: Ref, source: Ref, digest: string): boolean {
  const sawItGo = log.findIndex(
    ({ message, values }) =>
      message === `${source.kind} data changed` &&
      values.namespace === source.namespace &&
      values.name === source.name &&
      values.oldHash === digest,
  );
  if (sawItGo < 0) return false;
  const object = `${workload.kind}/${workload.namespace}/${workload.name}`;
  const looked = log
    .slice(sawItGo)
    .some(({ message, values }) => message === 'Reconcile completed' && values.object === object);
  return looked || !isDead;
}
