/**
 * The state at rest, from the recorded history alone and not from the operator's own reports.
 *
 * I2: every living pod was created with the current content of its sources, to the second. I12, the part that
 * everything else depends on: the digests in a record are those of the sources' contents. I6: nothing is left paused,
 * and no copy of a Job is left over.
 */
import { ABSENT, contentAt, contentOf, RELOADED_KINDS } from '../reloader/checks/history.ts';
import type { Chronicle, ChronicleObject, Ref, Version } from '../reloader/chronicle.ts';
import { sourceOf } from '../reloader/ledger-view.ts';
import { PAUSED_AT } from '../reloader/names.ts';
import { recordNow } from '../reloader/records.ts';
import { digestsOf } from './digests.ts';
import type { IsUnseen } from './unseen.ts';

export function truth(chronicle: Chronicle, isUnseen: IsUnseen): string[] {
  const pods = livingPods(chronicle);
  return RELOADED_KINDS.flatMap((kind) => chronicle.refs(kind)).flatMap((ref) => {
    const live = chronicle.now(ref);
    if (!live || isRunOfCronJob(live)) return [];
    const paused =
      live.metadata.annotations?.[PAUSED_AT] === undefined ? [] : [`I6: ${ref.name} is left paused`];
    return [
      ...paused,
      ...recordIsTrue(chronicle, ref),
      ...podsAreCurrent(chronicle, ref, pods.get(`${ref.namespace}/${ref.name}`), isUnseen),
    ];
  });
}

/** The sources in the record of a workload, whole objects only. */
function followed(chronicle: Chronicle, ref: Ref): { key: string; entry: string; source: Ref }[] {
  return Object.entries(recordNow(chronicle, ref)?.s ?? {})
    .filter(([key, entry]) => !entry.includes('#') && !key.startsWith('spc/'))
    .map(([key, entry]) => ({ key, entry, source: sourceOf(key, ref.namespace) }));
}

function recordIsTrue(chronicle: Chronicle, ref: Ref): string[] {
  return followed(chronicle, ref).flatMap(({ key, entry, source }) => {
    const object = chronicle.now(source);
    const expected = object && digestsOf(chronicle, source, object);
    const holds = expected === undefined ? entry.endsWith('!') : expected.includes(entry);
    return holds
      ? []
      : [
          `I2: the record of ${ref.name} says ${key}: ${entry}, and it is ${expected?.join(' or ') ?? 'gone'}`,
        ];
  });
}

/** A pod created in the same second as the change may have either content: timestamps do not tell. */
function podsAreCurrent(
  chronicle: Chronicle,
  ref: Ref,
  pods: readonly ChronicleObject[] = [],
  isUnseen: IsUnseen,
): string[] {
  if (ref.kind === 'CronJob') return [];
  return followed(chronicle, ref).flatMap(({ key, entry, source }) => {
    const now = contentAt(chronicle, source, Number.POSITIVE_INFINITY);
    if (now === ABSENT || entry.endsWith('!')) return [];
    return pods
      .filter((pod) => {
        const held = couldHold(chronicle.of(source), pod);
        // A pod that was created while the source was absent waits for it.
        if (held.some(({ type, object }) => type === 'DELETED' || contentOf(object) === now)) return false;
        const since = Date.parse(pod.metadata.creationTimestamp ?? '');
        return (
          held.length === 0 ||
          !held.every((version) => isUnseen({ workload: ref, key, source, version, since }))
        );
      })
      .map(({ metadata }) => `I2: pod ${metadata.name} runs with an old ${source.kind} ${source.name}`);
  });
}

/** By namespace and workload, which all pods here name in their label `app`. */
function livingPods(chronicle: Chronicle): Map<string, ChronicleObject[]> {
  const found = new Map<string, ChronicleObject[]>();
  for (const pod of chronicle.all('Pod')) {
    const { namespace, labels, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined) continue;
    const key = `${namespace}/${labels?.app}`;
    found.set(key, [...(found.get(key) ?? []), pod]);
  }
  return found;
}

/** All versions that the pod may have started with. */
export function couldHold(versions: readonly Version[], pod: ChronicleObject): Version[] {
  const second = Date.parse(pod.metadata.creationTimestamp ?? '');
  const at = (version: Version): number => {
    const times = (version.object.metadata.managedFields ?? []).map(({ time }) => Date.parse(time ?? ''));
    return Math.max(Date.parse(version.object.metadata.creationTimestamp ?? ''), ...times);
  };
  // The last version before that second, and all within it.
  const before = versions.filter((version) => at(version) < second).slice(-1);
  const within = versions.filter((version) => at(version) === second);
  return [...before, ...within];
}

function isRunOfCronJob({ metadata }: ChronicleObject): boolean {
  return metadata.ownerReferences?.some(({ kind }) => kind === 'CronJob') === true;
}
