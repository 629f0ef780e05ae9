/**
 * Several ReloaderConfigs for one workload, each for its own sources: the config that watches the changed source
 * decides how and when to reload; of several, the oldest. Checked from the recorded history: the template after each
 * reload, and its time.
 */
import type { Chronicle, ChronicleObject, Ref } from '../reloader/chronicle.ts';
import { type LedgerView, readLedger } from '../reloader/ledger-view.ts';
import { LAST_RELOAD, PREFIX, TRIGGERED_AT } from '../reloader/names.ts';
import { templateChanges, templateOf } from '../reloader/rollouts.ts';

const NOW = `${PREFIX}/now`;

export interface Speaker {
  readonly name: string;
  /** As in a ledger: `secret/db`. */
  readonly sources: readonly string[];
  readonly strategy: 'env-vars' | 'annotations';
  readonly pauseSeconds?: number;
}

/** The oldest first. */
export const SPEAKERS: readonly Speaker[] = [
  { name: 'one', sources: ['secret/db'], strategy: 'env-vars', pauseSeconds: 60 },
  { name: 'two', sources: ['cm/settings'], strategy: 'annotations' },
  { name: 'three', sources: ['secret/cert', 'cm/settings'], strategy: 'env-vars', pauseSeconds: 20 },
];

/** The spec of a ReloaderConfig for a Deployment with these settings. */
export function specOf({ sources, strategy, pauseSeconds }: Speaker, deployment: string): object {
  const named = (kind: string): string[] =>
    sources.flatMap((key) => (key.startsWith(`${kind}/`) ? key.slice(kind.length + 1) : []));
  return {
    watchedResources: { secrets: named('secret'), configMaps: named('cm') },
    targets: [{ kind: 'Deployment', name: deployment }],
    reloadStrategy: strategy,
    ...(pauseSeconds !== undefined && { pausePeriod: `${pauseSeconds}s` }),
  };
}

/** A sentence for each violation, and the number of reloads that were checked. */
export function whoSaid(
  chronicle: Chronicle,
  ref: Ref,
): { readonly broken: string[]; readonly judged: number } {
  const broken: string[] = [];
  let judged = 0;
  const versions = chronicle.of(ref);
  for (const version of templateChanges(versions)) {
    const before = versions[versions.indexOf(version) - 1]?.object;
    const ledger = readLedger(version.object);
    const last = ledger?.recent?.find(({ n }) => n === ledger.seq);
    // A rollout by another writer; or a repeated one, because it was reverted.
    if (!before || !ledger || !last?.s?.length || readLedger(before)?.seq === ledger.seq) continue;
    if (ledger.seq < (readLedger(before)?.seq ?? 0)) continue;
    judged += 1;
    const speaking = SPEAKERS.filter(({ sources }) => sources.some((key) => last.s?.includes(key)));
    const said = `${ref.name}: reload ${ledger.seq} for ${last.s.join(', ')}`;
    const expected = speaking[0]?.strategy;
    const found = strategyOf(before, version.object);
    if (found !== expected)
      broken.push(`${said} was made by ${found}, and ${speaking[0]?.name} says ${expected}`);
    const waited = pausedFor(ledger, readLedger(before));
    const pause = speaking.find(({ pauseSeconds }) => pauseSeconds !== undefined);
    // A user's word releases the change from every gate.
    if (hasWord(before) && !hasWord(version.object)) continue;
    if (pause?.pauseSeconds !== undefined && waited < pause.pauseSeconds)
      broken.push(
        `${said} came ${waited} s after the one before, and ${pause.name} says ${pause.pauseSeconds}`,
      );
  }
  return { broken, judged };
}

function hasWord({ metadata }: ChronicleObject): boolean {
  return metadata.annotations?.[NOW] !== undefined;
}

function pausedFor({ at = 0 }: LedgerView, before: LedgerView | undefined): number {
  return before?.at === undefined ? Number.POSITIVE_INFINITY : at - before.at;
}

function strategyOf(before: ChronicleObject, after: ChronicleObject): string {
  const times = [before, after].map((object) => {
    const { metadata, spec } = templateOf(object);
    const triggered = (spec?.containers ?? [])
      .flatMap(({ env = [] }) => env)
      .filter(({ name }) => name === TRIGGERED_AT)
      .map(({ value }) => value)
      .join();
    return { triggered, annotated: metadata?.annotations?.[LAST_RELOAD] };
  });
  const [old, now] = times;
  const byEnv = old?.triggered !== now?.triggered;
  const byAnnotation = old?.annotated !== now?.annotated;
  if (byEnv === byAnnotation) return byEnv ? 'both' : 'neither';
  return byEnv ? 'env-vars' : 'annotations';
}
