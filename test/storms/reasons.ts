/**
 * I1, exactly: a reload names a source whose recorded digest differs from the one before, and the new digest is that of
 * a content which the source really had; or a pod was created while the source had another content; or the record was
 * lost, and the source was written to. Comparing current contents is not enough: in a storm the operator acts on what
 * it last saw, which may be outdated.
 */

import { contentAt, contentOf, RELOADED_KINDS } from '../reloader/checks/history.ts';
import type { Chronicle, Ref } from '../reloader/chronicle.ts';
import type { LedgerView } from '../reloader/ledger-view.ts';
import { sourceOf } from '../reloader/ledger-view.ts';
import type { Allowance, ConfigStatus } from '../reloader/scene.ts';
import { digestsOf } from './digests.ts';
import { reloadEvents } from './reloads.ts';
import { couldHold } from './truth.ts';

export function everyReloadHasAReason(chronicle: Chronicle, { unexplained }: Allowance): string[] {
  if (unexplained === true) return [];
  return RELOADED_KINDS.flatMap((kind) => chronicle.refs(kind)).flatMap((ref) =>
    reloadEvents(chronicle, ref).flatMap(({ ledger, before, sources, afterLoss, revision }) => {
      const isNew = (key: string): boolean =>
        before.length === 0 ||
        before.some((one) => isReason(chronicle, ref, key, ledger, one)) ||
        (afterLoss && wasWritten(chronicle, ref, key, revision)) ||
        podHasOther(chronicle, ref, key, revision);
      if (sources.some(isNew)) return [];
      const change = `${JSON.stringify(before.map(({ s }) => s))} became ${JSON.stringify(ledger.s)}`;
      return [
        `I1: reload ${ledger.seq} of ${ref.name} has no reason: named ${JSON.stringify(sources)}, ${change}`,
      ];
    }),
  );
}

/**
 * I12: the count of a ReloaderConfig is the number of reloads that name it. A user who undoes a rollout or removes a
 * ledger while no operator runs also removes the notes of reloads: those that no status had counted yet may be missing.
 */
export function countsAreExact(chronicle: Chronicle): string[] {
  const reloads = RELOADED_KINDS.flatMap((kind) => chronicle.refs(kind)).flatMap((ref) =>
    reloadEvents(chronicle, ref),
  );
  const present = chronicle.refs('ReloaderConfig').filter((ref) => chronicle.now(ref));
  return present.flatMap((ref) => {
    const asked = reloads.filter(({ configs }) => configs.includes(`${ref.namespace}/${ref.name}`));
    const counted = countAt(chronicle, ref, Number.POSITIVE_INFINITY);
    const takenAt = new Set(asked.flatMap(({ noteTakenAt }) => noteTakenAt ?? []));
    const lost = [...takenAt].reduce((sum, revision) => {
      const taken = asked.filter(({ noteTakenAt }) => noteTakenAt === revision).length;
      const made = asked.filter((reload) => reload.revision < revision).length;
      return sum + Math.min(taken, made - countAt(chronicle, ref, revision));
    }, 0);
    return counted <= asked.length && counted >= asked.length - lost
      ? []
      : [`I12: ${ref.name} counts ${counted} reloads, there were ${asked.length}`];
  });
}

function countAt(chronicle: Chronicle, config: Ref, revision: number): number {
  const last = chronicle.of(config).findLast((version) => version.revision < revision);
  return (last?.object.status as ConfigStatus | undefined)?.reloadCount ?? 0;
}

/** Without a record the operator compares times, and a label moves the time of the last write. */
function wasWritten(chronicle: Chronicle, ref: Ref, key: string, revision: number): boolean {
  const versions = chronicle.of(sourceOf(key, ref.namespace)).filter((each) => each.revision < revision);
  return versions.length > 1;
}

/** A pod of the workload was created while the source had another content: it changed there and back. */
function podHasOther(chronicle: Chronicle, ref: Ref, key: string, revision: number): boolean {
  const source = sourceOf(key, ref.namespace);
  const now = contentAt(chronicle, source, revision);
  const versions = chronicle.of(source).filter((each) => each.revision < revision);
  const pods = chronicle.refs('Pod').flatMap((pod) => {
    const last = chronicle.of(pod).findLast((each) => each.revision < revision);
    return last && last.type !== 'DELETED' && last.object.metadata.labels?.app === ref.name
      ? [last.object]
      : [];
  });
  return pods.some((pod) => couldHold(versions, pod).some(({ object }) => contentOf(object) !== now));
}

function isReason(
  chronicle: Chronicle,
  ref: Ref,
  key: string,
  ledger: LedgerView,
  previous: LedgerView,
): boolean {
  const now = ledger.s[key];
  if (now === undefined || now === previous.s[key]) return false;
  if (now.endsWith('!')) return true;
  const [digest = '', scope] = now.split('#');
  if (scope !== undefined || key.startsWith('spc/')) return true;
  if (previous.s[key]?.replace('!', '') === digest) return false;
  const source = sourceOf(key, ref.namespace);
  return chronicle.of(source).some(({ object }) => digestsOf(chronicle, source, object).includes(digest));
}
