/**
 * C1: runs a scenario once undisturbed, and once for every write of the operator and each moment around it, at which
 * the operator is killed; it restarts half a second later. The end state and the actions must be the same.
 */

import type { Chronicle, Ref } from '../reloader/chronicle.ts';
import { HISTORY, LEDGER } from '../reloader/names.ts';
import { recordNow } from '../reloader/records.ts';
import { rolloutsOf } from '../reloader/rollouts.ts';
import { Scene } from '../reloader/scene.ts';
import type { CrashCase } from './crash-cases.ts';
import { brokenInvariants } from './invariants.ts';
import { type CrashPoint, Storm } from './storm.ts';
import { storyOf } from './story.ts';

export interface Run {
  readonly counts: Record<string, number>;
  readonly state: Record<string, unknown>;
  readonly writes: number;
  readonly broken: readonly string[];
  readonly story: string;
}

const KINDS = ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job', 'ReloaderConfig'];
/** The operator can do nothing without the digest key: without an answer the process exits and is restarted. */
const AT_THE_START = /^ConnectionLostError: The connection broke before the answer arrived$/;
const FIRST_REST_MS = 20_000;

export async function run(
  { args, permissions, allow, prepare, play }: CrashCase,
  crash?: CrashPoint,
): Promise<Run> {
  const storm = await Storm.begin({ seed: 1, ...(crash && { crash }) });
  const scene = new Scene(storm);
  try {
    await prepare(scene);
    await storm.startOperator({ args, unready: true, ...(permissions && { permissions }) });
    await storm.quiet(FIRST_REST_MS);
    await play(scene);
    const broken = await brokenInvariants(storm, { endings: AT_THE_START, ...allow });
    return {
      counts: { ...countsOf(scene, storm), ...(allow?.restores && contentsOf(scene)) },
      state: { ...stateOf(scene), ...(allow?.restores && configMapsOf(scene)) },
      writes: storm.writes,
      broken,
      story: storyOf(storm),
    };
  } finally {
    await storm.end();
  }
}

function countsOf({ stage: { chronicle } }: Scene, storm: Storm): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of KINDS) {
    for (const ref of chronicle.refs(kind)) {
      const { ownerReferences } = chronicle.of(ref)[0]?.object.metadata ?? {};
      if (kind === 'ReloaderConfig') {
        const status = chronicle.now(ref)?.status as { reloadCount?: number } | undefined;
        counts[`${kind}/${ref.name}`] = status?.reloadCount ?? 0;
      } else if (ownerReferences?.length) {
        const name = `runs of ${ownerReferences[0]?.name}`;
        counts[name] = (counts[name] ?? 0) + 1;
      } else {
        counts[`${kind}/${ref.name}`] = rolloutsOf(chronicle.of(ref));
      }
    }
  }
  const evictions = storm.sent.filter(
    ({ subresource, code }) => subresource === 'eviction' && code < 300,
  ).length;
  return evictions > 0 ? { ...counts, evictions } : counts;
}

/** The number of changes of a ConfigMap's content, by any writer. */
function contentsOf({ stage: { chronicle }, namespace }: Scene): Record<string, number> {
  const versions = chronicle.of({ kind: 'ConfigMap', namespace, name: 'settings' });
  const contents = versions.map(({ object }) => JSON.stringify((object as { data?: unknown }).data));
  const changes = contents.filter((content, index) => index > 0 && content !== contents[index - 1]);
  return { 'contents of settings': changes.length };
}

/** All ConfigMaps, the kept copies included. */
function configMapsOf({ stage: { chronicle }, namespace }: Scene): Record<string, unknown> {
  const all = chronicle.all('ConfigMap', namespace);
  return Object.fromEntries(
    all.map((map) => [`ConfigMap/${map.metadata.name}`, (map as { data?: unknown }).data]),
  );
}

/** The state that a user can see at the end, without times, versions and identities. */
function stateOf({ stage: { chronicle } }: Scene): Record<string, unknown> {
  const state: Record<string, unknown> = {};
  for (const kind of KINDS) {
    for (const live of chronicle.all(kind)) {
      const { metadata, spec, status } = live;
      const ref = { kind, namespace: metadata.namespace ?? '', name: metadata.name };
      const annotations = { ...metadata.annotations, [LEDGER]: recordOf(chronicle, ref) };
      const seen = kind === 'ReloaderConfig' ? { spec, status } : { spec };
      state[`${kind}/${metadata.name}`] = timeless({ annotations, labels: metadata.labels, ...seen });
    }
  }
  // The history of results is best effort: if a crash prevents an entry, the ledger still has the result.
  const left = chronicle
    .all('ConfigMap', 'reloader')
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== HISTORY);
  return { ...state, 'in our namespace': left.sort() };
}

function recordOf(chronicle: Chronicle, ref: Ref): unknown {
  const ledger = recordNow(chronicle, ref);
  return (
    ledger && { seq: ledger.seq, s: ledger.s, recent: ledger.recent?.map(({ n, c, s }) => ({ n, c, s })) }
  );
}

const TIMES: readonly [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  [/(\\?"(?:observedAt|at|t)\\?"):\d+/g, '$1:0'],
  [/@\d+"/g, '@TIME"'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID'],
];

function timeless(value: object): unknown {
  return JSON.parse(TIMES.reduce((text, [pattern, by]) => text.replace(pattern, by), JSON.stringify(value)));
}
