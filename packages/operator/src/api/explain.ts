/**
 * Explains why a workload is or is not reloaded: its sources and the rules that chose them, the recorded against the
 * current content, and what is pending until when.
 *
 * In: a ClusterView and the name of a workload. Out: an explanation, or undefined if the view does not have the
 * workload.
 */

import { outcomesOf } from '../reloader/ledger/note.ts';
import type { Verdict } from '../reloader/model/decision.ts';
import type { ReloaderSettings } from '../reloader/model/settings.ts';
import type { SourceRef } from '../reloader/model/source.ts';
import { isVerified, type Verify } from '../reloader/model/verify.ts';
import type { Want, WantedSource } from '../reloader/model/want.ts';
import type { WorkloadFacts, WorkloadRef } from '../reloader/model/workload.ts';
import { isRunOfCronJob, refOf } from '../reloader/model/workload.ts';
import { blockedText } from '../reloader/report/texts.ts';
import { crossNamespaceDenied } from '../reloader/want/cross-namespace.ts';
import { MOST_TOLD, unknownOn } from '../reloader/want/unknown-annotations.ts';
import type { ClusterView } from './cluster-view.ts';
import { pendingEstimate } from './course.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import { largeFanOuts } from './fan-out.ts';
import { originsOf } from './origins.ts';
import { configNamed, pastReload } from './past.ts';
import type { Explanation, Outlook, UnwatchedSource, WatchedSource } from './shapes.ts';
import { durationText, timeOf, waitOf } from './times.ts';
import { findingText, howText, onFailureText, placeOf, ruleText, sourceName, unwantedText } from './words.ts';

export async function explain(
  ref: WorkloadRef,
  clusterView: ClusterView,
  signal: AbortSignal,
): Promise<Explanation | undefined> {
  const workload = clusterView.world.workload(ref);
  if (!workload) return undefined;
  const result = await dryRun(workload, { clusterView, signal });
  const { want, verdict } = result;
  const outlook = outlookOf(result);
  const recorded = verdict?.recorded;
  const lastError = clusterView.lastError(ref);
  const estimate =
    result.action === 'reload' ? await pendingEstimate(result, clusterView, signal) : undefined;
  return {
    workload: refOf(workload),
    summary: summaryOf(result, outlook, clusterView),
    outlook,
    ...(estimate && { estimate }),
    sources: want.sources.map((source) => watchedSource(workload, source, verdict, clusterView)),
    notWatched: want.unwanted.map(
      (unwanted): UnwatchedSource => ({
        ...unwanted.ref,
        rule: unwanted.rule,
        because: unwantedText(unwanted, clusterView.settings),
      }),
    ),
    configs: want.configs.map(({ metadata: { namespace, name } }) => ({ namespace, name })),
    policy: policyOf(workload, want, { settings: clusterView.settings, now: clusterView.now() }),
    origins: originsOf(workload, want, clusterView),
    ledger: ledgerOf(result),
    ...(recorded?.reloadedAt !== undefined && { lastReload: timeOf(recorded.reloadedAt * 1000) }),
    reloads: recorded?.seq ?? 0,
    ...lastOutcome(workload, clusterView),
    problems: [...want.problems, ...unknownAround(ref, want, clusterView), ...denials(ref, clusterView)],
    notes: [...clusterView.notes(ref), ...(await largeFanOuts(want.sources, clusterView))],
    ...(lastError !== undefined && { lastError }),
    history: (clusterView.history(ref)?.reloads ?? []).map(pastReload),
  };
}

function watchedSource(
  workload: WorkloadFacts,
  source: WantedSource,
  verdict: Verdict | undefined,
  { world, settings }: ClusterView,
): WatchedSource {
  const { ref, rule, configs, keys, state, key } = source;
  const place = placeOf(workload, source, world, settings);
  const difference = verdict?.differences.find((each) => each.key === key);
  const comparison = difference?.finding ?? 'unknown';
  const doubt = state.kind === 'unknown' ? `: ${state.why}` : '';
  return {
    ...ref,
    rule,
    ...(place && { from: place }),
    configs: configs.map(configNamed),
    ...(keys && { keys }),
    exists: state.kind === 'present' ? 'yes' : state.kind === 'gone' ? 'no' : 'unknown',
    comparison,
    reload: difference?.reload ?? false,
    because: `${ruleText(source, place, settings)}; ${findingText(comparison)}${doubt}`,
  };
}

export function outlookOf(result: DryRun): Outlook {
  const { verdict, want, workload } = result;
  const causes: readonly SourceRef[] = verdict?.reload?.causes.map(({ ref }) => ref) ?? [];
  const because = becauseOf(result);
  switch (result.action) {
    case 'reload': {
      const { at, waits, undoes } = result;
      const how = howText(workload.kind, verdict?.reload?.policy ?? want.policy, undoes);
      return {
        action: 'reload',
        ...(at !== undefined && { at: timeOf(at) }),
        waits: waits.map(waitOf),
        causes,
        because: `${causes.map(sourceName).join(', ') || 'another tool undid the last reload'}: ${how}`,
      };
    }
    case 'record-only':
      return { action: 'record', waits: [], causes, because };
    default:
      return { action: result.action, waits: [], causes: [], because };
  }
}

function becauseOf(result: DryRun): string {
  const { verdict, workload } = result;
  switch (result.action) {
    case 'record-only':
      return result.why === 'next-run'
        ? 'the next run of the CronJob reads the new values: nothing is run now'
        : 'the Job has finished: nothing is run again';
    case 'left-alone':
      return 'its record was written by a newer version of this operator';
    case 'unreadable':
      return 'its record is not readable for you: it stands in the notebook, ConfigMaps of the operator’s namespace';
    case 'waits-for-rollout':
      return 'a rollout is under way: what its pods have seen shows when it has ended';
    case 'record':
    case 'nothing':
      if (workload.deleting) return 'it is being deleted';
      if (isRunOfCronJob(workload)) return 'Jobs of CronJobs are never touched';
      return VERDICTS[verdict?.because ?? 'none'];
    case 'reload':
      return '';
  }
}

const VERDICTS: Readonly<Record<NonNullable<Verdict['because']> | 'none', string>> = {
  none: 'nothing differs from what it was last rolled out with',
  adopted: 'it is seen for the first time: what is there counts as rolled out, nothing restarts',
  undone: 'somebody undid a rollout: that is recorded, not repeated',
  'template-changed': 'somebody changed its template after the change: its new pods have the new values',
  'pods-are-new': 'all of its pods are younger than the change',
  returned:
    'a source was changed and changed back, and a pod was created in between: that is noted, and the reload follows',
  'not-in-sync': 'not everything has been read yet',
  'write-not-seen': 'our last write is on its way back',
};

function summaryOf(result: DryRun, outlook: Outlook, clusterView: ClusterView): string {
  const { want, workload } = result;
  const { namespace } = workload.metadata;
  if (!clusterView.world.inScope(namespace)) return `Not watched: namespace ${namespace} is out of scope`;
  if (clusterView.settings.ignoredWorkloads.has(workload.kind))
    return `Not watched: a flag leaves out ${workload.kind}s`;
  if (result.action === 'reload') {
    const blocked = clusterView.blocked(refOf(workload));
    return blocked ? `Restarts its pods one by one: ${blockedText(blocked)}` : reloadSummary(result, outlook);
  }
  const { length } = want.sources;
  if (length === 0) return 'Not watched: nothing asks for a reload of this workload';
  const watched = `Watches ${length} ${length === 1 ? 'source' : 'sources'}`;
  return `${watched}; ${outlook.because}`;
}

function reloadSummary(result: Extract<DryRun, { action: 'reload' }>, { at, causes }: Outlook): string {
  const [first] = result.waits;
  const what = causes.length === 1 ? 'a change' : `${causes.length} changes`;
  if (!first) return `Reloads now for ${what}`;
  if (at !== undefined) return `Reloads at ${at} for ${what}: ${first.message}`;
  // Prefers the wait without a known end: the others end by themselves.
  const holding = result.waits.find(({ until }) => until === undefined) ?? first;
  return `Holds back a reload for ${what}: ${holding.message}`;
}

function policyOf(
  { kind }: WorkloadFacts,
  { policy }: Want,
  { settings, now }: { readonly settings: ReloaderSettings; readonly now: number },
): Explanation['policy'] {
  const { settleMs, batchWindowMs, pauseMs, stakaterPauseMs, freezes, windows, maxWaitMs, verify } = policy;
  const frozen = freezes.find(({ until }) => until === undefined || until > now);
  const onFailure = onFailureText(kind, policy, settings);
  const pause = stakaterPauseMs ?? (pauseMs > 0 ? pauseMs : undefined);
  return {
    strategy: howText(kind, policy),
    settle: durationText(settleMs),
    ...(batchWindowMs > 0 && { batchWindow: durationText(batchWindowMs) }),
    ...(pause !== undefined && { pause: durationText(pause) }),
    ...(frozen && { frozen: frozen.place }),
    ...(windows.length > 0 && { windows: windows.map(({ where }) => where) }),
    ...(maxWaitMs !== undefined && { maxWait: durationText(maxWaitMs) }),
    ...(verify && isVerified(kind) && { verify: verifyText(verify) }),
    ...(onFailure !== undefined && { onFailure }),
  };
}

function verifyText({ timeoutMs, stableForMs, maxRestarts }: Verify): string {
  const restarts = maxRestarts === 1 ? '1 restart' : `${maxRestarts} restarts`;
  return `rolled out within ${durationText(timeoutMs)}, then ready for ${durationText(stableForMs)} with at most ${restarts}`;
}

function lastOutcome(workload: WorkloadFacts, clusterView: ClusterView): Pick<Explanation, 'outcome'> {
  const note = clusterView.note(refOf(workload)) ?? { kind: 'absent' };
  const last = outcomesOf(note, workload.metadata.uid).at(-1);
  if (!last) return {};
  const { seq, result, at, message } = last;
  return { outcome: { seq, result, at: timeOf(at * 1000), ...(message !== undefined && { message }) } };
}

function ledgerOf({ action, verdict }: DryRun): Explanation['ledger'] {
  if (action === 'left-alone') return 'newer';
  if (action === 'unreadable') return 'unreadable';
  if (!verdict || verdict.situation === 'first-sight') return 'none';
  return verdict.situation === 'restored-from-mark' ? 'vanished' : verdict.situation;
}

/** Unknown annotations on its Namespace and its sources: a typo there may be why it is not watched. */
function unknownAround(
  { namespace }: WorkloadRef,
  { sources, unwanted }: Want,
  { world, settings }: ClusterView,
): Explanation['problems'] {
  const found = unknownOn(
    world.namespace(namespace)?.annotations ?? {},
    `Namespace ${namespace}`,
    settings.names,
  );
  for (const { ref } of [...sources, ...unwanted]) {
    const state = world.source(ref);
    if (state.kind === 'present')
      found.push(...unknownOn(state.facts.annotations, sourceName(ref), settings.names));
    if (found.length >= MOST_TOLD) break;
  }
  return found.slice(0, MOST_TOLD);
}

/** ReloaderConfigs that name the workload and may not reach it. */
function denials(ref: WorkloadRef, { world, settings }: ClusterView): Explanation['problems'] {
  return world.configsFor(ref).flatMap((config) => {
    const denied = crossNamespaceDenied(config, ref.namespace, world, settings);
    const { namespace, name } = config.metadata;
    return denied
      ? [
          {
            field: `ReloaderConfig ${namespace}/${name}`,
            reason: 'CrossNamespaceDenied',
            message: denied.message,
          },
        ]
      : [];
  });
}
