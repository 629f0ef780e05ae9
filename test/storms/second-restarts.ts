/**
 * Second restarts for one change: the workload had been reloaded since, and every pod was younger than the change.
 * Within one second the times in the API do not decide that, and then a restart is right. Checked from the recorded
 * history alone; revisions give the order that the times do not.
 */
import { contentOf } from '../reloader/checks/history.ts';
import type { Chronicle, ChronicleObject, Ref, Version } from '../reloader/chronicle.ts';
import { sourceOf } from '../reloader/ledger-view.ts';
import { reloadEvents } from './reloads.ts';

export interface SecondRestart {
  readonly what: string;
  /** A pod was created in the same second as the change: the operator could not decide it. */
  readonly inDoubt: boolean;
}

const WITH_PODS = ['Deployment', 'StatefulSet', 'DaemonSet'];

export function secondRestarts(chronicle: Chronicle): SecondRestart[] {
  return WITH_PODS.flatMap((kind) => chronicle.refs(kind)).flatMap((ref) =>
    reloadEvents(chronicle, ref).flatMap(({ revision, ledger, sources }, index, all) => {
      const pods = podsAt(chronicle, ref, revision);
      const changes = sources.flatMap((key) =>
        lastChange(chronicle.of(sourceOf(key, ref.namespace)), revision),
      );
      if (pods.length === 0 || changes.length < sources.length || sources.length === 0) return [];
      const newest = Math.max(...changes.map((change) => change.revision));
      const previous = all[index - 1];
      const isSame = sources.every((key) => previous?.ledger.s[key] === ledger.s[key]);
      if (!previous || previous.revision < newest || !isSame) return [];
      if (pods.some((pod) => pod.revision < newest)) return [];
      const second = Math.max(...changes.map(({ object }) => writtenAt(object)));
      const inDoubt = pods.some(
        ({ object }) => Date.parse(object.metadata.creationTimestamp ?? '') <= second,
      );
      return [{ what: `reload ${ledger.seq} of ${ref.name} at revision ${revision}`, inDoubt }];
    }),
  );
}

/** The first versions of the pods that existed just before this revision. */
function podsAt(chronicle: Chronicle, { namespace, name }: Ref, revision: number): Version[] {
  return chronicle.refs('Pod').flatMap((pod) => {
    const versions = chronicle.of(pod).filter((version) => version.revision < revision);
    const last = versions.at(-1);
    if (!last || last.type === 'DELETED' || last.object.metadata.deletionTimestamp !== undefined) return [];
    const { labels, uid } = last.object.metadata;
    const first = versions.find(({ object }) => object.metadata.uid === uid);
    return first && pod.namespace === namespace && labels?.app === name ? [first] : [];
  });
}

/** The last version whose content differs from the one before. */
function lastChange(versions: readonly Version[], revision: number): Version[] {
  const before = versions.filter((version) => version.revision < revision);
  const found = before.findLast((version, index) => {
    const previous = before[index - 1];
    return (
      !previous || previous.type === 'DELETED' || contentOf(previous.object) !== contentOf(version.object)
    );
  });
  return found && found.type !== 'DELETED' ? [found] : [];
}

/** Milliseconds since the epoch, of a whole second. */
function writtenAt({ metadata }: ChronicleObject): number {
  const times = (metadata.managedFields ?? []).map(({ time }) => Date.parse(time ?? ''));
  return Math.max(Date.parse(metadata.creationTimestamp ?? ''), ...times);
}
