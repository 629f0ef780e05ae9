/**
 * One workload through wanting, deciding and scheduling, as in a pass of the engine, without doing anything.
 *
 * In: an observer, a workload, and the world to judge it in (the real one, or one in which something is changed). Out:
 * what would happen, and when. Guarantees: the engine's own functions decide; nothing is written. It may list the pods
 * of this one workload where the engine would.
 */
import { decide } from '../reloader/decide/decide.ts';
import { parseLedger } from '../reloader/decide/ledger.ts';
import { emptyMemory, remember } from '../reloader/decide/remember.ts';
import { type Decision, isVerdict, type Verdict } from '../reloader/decide/types.ts';
import { wantOf } from '../reloader/decide/want.ts';
import { recordOnlyReason } from '../reloader/engine/record-only.ts';
import { refOf } from '../reloader/index/concerned.ts';
import { FIXED_ANNOTATIONS } from '../reloader/model/annotations.ts';
import { type SourceRef, sourceKey } from '../reloader/model/source.ts';
import type { Want } from '../reloader/model/want.ts';
import type { WorkloadFacts } from '../reloader/model/workload.ts';
import type { World } from '../reloader/model/world.ts';
import { schedule } from '../reloader/schedule/schedule.ts';
import type { Later, ScheduleInput } from '../reloader/schedule/types.ts';
import { rolloutOf } from '../reloader/verify/rollout.ts';
import type { Observer } from './observer.ts';

export type Judgement = {
  readonly workload: WorkloadFacts;
  readonly want: Want;
  readonly verdict: Verdict | undefined;
} & (
  | { readonly action: 'nothing' | 'record' | 'left-alone' | 'waits-for-rollout' }
  /** The change is noted and nothing is restarted: the next run reads it. */
  | { readonly action: 'record-only'; readonly why: 'next-run' | 'finished' }
  /** `at` undefined: until something happens that nobody can foretell. */
  | { readonly action: 'reload'; readonly at: number | undefined; readonly waits: readonly Later[] }
);

export interface JudgeOptions {
  readonly observer: Observer;
  readonly world?: World;
  /** Known to differ from everything recorded: it is compared although other Secrets cannot be. */
  readonly changed?: SourceRef;
  readonly signal: AbortSignal;
}

export async function judge(workload: WorkloadFacts, options: JudgeOptions): Promise<Judgement> {
  const { observer, world = observer.world, changed, signal } = options;
  const { settings } = observer;
  const ref = refOf(workload);
  const seen = wantOf(workload, world, settings);
  const want = observer.comparesSecrets ? seen : blind(seen, changed);
  const outOfScope = !world.inScope(ref.namespace);
  if (outOfScope || isLeftAlone(workload) || isPointless(workload, want, observer)) {
    return { workload, want, verdict: undefined, action: 'nothing' };
  }
  const now = observer.now();
  const memory = observer.memory(ref) ?? emptyMemory(workload.metadata.uid);
  const install = observer.install(workload);
  const input = { workload, want, memory, install, settings, now };
  let decision: Decision = decide({ ...input, pods: undefined });
  if (decision.action === 'ask-pods') {
    if (decision.waitForRollout && rolloutOf(workload).state === 'progressing') {
      return { workload, want, verdict: undefined, action: 'waits-for-rollout' };
    }
    decision = decide({ ...input, pods: await observer.lookAtPods(workload, decision.why, signal) });
  }
  if (!isVerdict(decision)) return { workload, want, verdict: undefined, action: 'left-alone' };
  const { pending } = remember(memory, workload, decision, now);
  const base = { workload, want, verdict: decision };
  if (decision.action !== 'reload' || !pending) {
    return { ...base, action: decision.action === 'record' ? 'record' : 'nothing' };
  }
  const why = recordOnlyReason(workload, want, settings);
  if (why) return { ...base, action: 'record-only', why };
  const when = foresee({
    policy: want.policy,
    pending,
    recorded: decision.recorded,
    workload,
    mode: settings.mode,
    unfinished: observer.unfinished(ref),
    maxUnfinished: settings.maxUnfinishedRollouts,
    now,
  });
  return { ...base, action: 'reload', ...when };
}

/** Each wait ends in another look: until it is now, or nobody can say. */
function foresee(input: ScheduleInput): { at: number | undefined; waits: Later[] } {
  const waits: Later[] = [];
  let { now } = input;
  for (;;) {
    const when = schedule({ ...input, now });
    if (when.kind === 'now') return { at: now, waits };
    waits.push(when);
    if (when.until === undefined) return { at: undefined, waits };
    now = when.until;
  }
}

function isLeftAlone({ deleting, kind, controlledBy }: WorkloadFacts): boolean {
  return deleting || (kind === 'Job' && controlledBy?.startsWith('CronJob/') === true);
}

function isPointless(workload: WorkloadFacts, { sources }: Want, observer: Observer): boolean {
  const ledger = workload.annotations[FIXED_ANNOTATIONS.ledger];
  return sources.length === 0 && ledger === undefined && !observer.memory(refOf(workload));
}

/** Without the digest key, Secrets can be looked at but not compared. */
function blind(want: Want, changed: SourceRef | undefined): Want {
  const known = changed && sourceKey(changed);
  const why = 'the digest key is not known here: ask the running operator';
  const sources = want.sources.map((source) =>
    source.ref.kind === 'Secret' && source.state.kind === 'present' && sourceKey(source.ref) !== known
      ? { ...source, state: { kind: 'unknown' as const, why } }
      : source,
  );
  return { ...want, sources };
}

/** The key that the workload's own ledger was written with. */
export function keyIdOf({ annotations, metadata }: WorkloadFacts): string | undefined {
  const parsed = parseLedger(annotations[FIXED_ANNOTATIONS.ledger]);
  return parsed.kind === 'ledger' && parsed.ledger.uid === metadata.uid ? parsed.ledger.keyId : undefined;
}
