/**
 * Runs one workload through the engine's own plan without acting on it.
 *
 * In: a ClusterView, a workload, and the world to judge it in (the real one, or one with a change). Out: what would
 * happen, and when. Guarantees: nothing is written. It may list the pods of this one workload where the engine would.
 */

import { pause } from '../pace/pieces.ts';
import type { ParsedNote } from '../reloader/ledger/note.ts';
import { recordOf } from '../reloader/ledger/record.ts';
import type { Verdict } from '../reloader/model/decision.ts';
import { type SourceRef, sourceKey } from '../reloader/model/source.ts';
import type { Want } from '../reloader/model/want.ts';
import { refOf, type WorkloadFacts } from '../reloader/model/workload.ts';
import type { World } from '../reloader/model/world.ts';
import { type Foresight, foreseeing } from '../reloader/plan/foresee.ts';
import { lookupOf, type PeerLookup } from '../reloader/plan/peers/lookup.ts';
import { type PlanInput, plan } from '../reloader/plan/plan.ts';
import type { RecordOnlyReason } from '../reloader/plan/record-only.ts';
import type { Later } from '../reloader/schedule/types.ts';
import { worldBefore } from './changed-world.ts';
import type { ClusterView } from './cluster-view.ts';

export type DryRun = {
  readonly workload: WorkloadFacts;
  readonly want: Want;
  readonly verdict: Verdict | undefined;
} & (
  | { readonly action: 'nothing' | 'record' | 'left-alone' | 'waits-for-rollout' }
  /** The record is in the notebook, which the user may not read. */
  | { readonly action: 'unreadable' }
  /** The change is recorded and nothing is restarted: the next run reads it. */
  | { readonly action: 'record-only'; readonly why: RecordOnlyReason }
  /** `at` undefined: until an event whose time cannot be predicted. */
  | {
      readonly action: 'reload';
      readonly at: number | undefined;
      readonly waits: readonly Later[];
      /** It undoes the reload of this number, if the server still has the revision that that reload replaced. */
      readonly undoes: number | undefined;
    }
);

export interface DryRunOptions {
  readonly clusterView: ClusterView;
  readonly world?: World;
  /** Known to differ from every recorded content: it is compared even if other Secrets cannot be. */
  readonly changed?: SourceRef;
  readonly signal: AbortSignal;
}

export async function dryRun(workload: WorkloadFacts, options: DryRunOptions): Promise<DryRun> {
  const { clusterView, world = clusterView.world, changed, signal } = options;
  const ref = refOf(workload);
  const note = clusterView.note(ref);
  const input: PlanInput = {
    workload,
    world,
    settings: clusterView.settings,
    install: clusterView.install(workload),
    note: note ?? { kind: 'absent' },
    memory: clusterView.memory(ref),
    pods: undefined,
    slots: () => clusterView.slots(),
    failures: clusterView.failures,
    peers: peersSeenBy(clusterView),
    verdictOn: clusterView.verdictOn,
    following: clusterView.following(ref),
    ...(!clusterView.comparesSecrets && { incomparable: withoutKey(changed) }),
    now: clusterView.now(),
  };
  const full = pause();
  if (full) await full;
  const asked = changed ? adopted(input, worldBefore(clusterView.world, changed)) : input;
  const first = await foreseen(asked);
  const { action, want, recorded } = first.plan;
  if (!world.inScope(ref.namespace)) return { workload, want, verdict: undefined, action: 'nothing' };
  // A change of now differs from whatever was recorded, so it can be judged all the same.
  if (note === undefined && !recorded && changed === undefined && want.sources.length > 0) {
    return { workload, want, verdict: undefined, action: 'unreadable' };
  }
  if (action.kind !== 'ask-pods') return judgementOf(workload, await checked(first, asked, options));
  const pods = await clusterView.lookAtPods(workload, action.doubt, signal);
  const informed = { ...asked, pods };
  return judgementOf(workload, await checked(await foreseen(informed), informed, options));
}

/** The same plan, with verdicts on contents that were not checked before. A hypothetical content gets no verdict. */
async function checked(
  foresight: Foresight,
  input: PlanInput,
  { clusterView, changed, signal }: DryRunOptions,
): Promise<Foresight> {
  const imagined = changed && sourceKey(changed);
  const questions = (foresight.plan.unchecked ?? []).filter(({ ref }) => sourceKey(ref) !== imagined);
  if (questions.length === 0) return foresight;
  await clusterView.checkContents(questions, signal);
  return foreseen(input);
}

async function foreseen(input: PlanInput): Promise<Foresight> {
  const steps = foreseeing(input);
  for (;;) {
    const full = pause();
    if (full) await full;
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * A workload without a record is judged as if it had just been adopted: the operator adopts it as soon as it sees it,
 * long before the change in question.
 */
function adopted(input: PlanInput, world: World): PlanInput {
  const { action, recorded } = plan({ ...input, world });
  if (recorded || action.kind !== 'record') return input;
  const { ledger, verdict } = action;
  return { ...input, note: { kind: 'note', note: { record: ledger, base: verdict.base } } };
}

function judgementOf(workload: WorkloadFacts, { plan: { want, action }, at, waits }: Foresight): DryRun {
  const base = { workload, want };
  switch (action.kind) {
    case 'leave': {
      const verdict = action.why === 'up-to-date' ? action.verdict : undefined;
      return { ...base, verdict, action: action.why === 'newer-record' ? 'left-alone' : 'nothing' };
    }
    case 'ask-pods':
    case 'wait': {
      const isRollout = action.kind === 'ask-pods' || action.why === undefined;
      return { ...base, verdict: undefined, action: isRollout ? 'waits-for-rollout' : 'nothing' };
    }
    case 'record': {
      const { verdict, instead } = action;
      return instead
        ? { ...base, verdict, action: 'record-only', why: instead }
        : { ...base, verdict, action: 'record' };
    }
    case 'reload':
    case 'defer': {
      const undoes = action.kind === 'defer' ? action.undoes : action.reload.undo?.seq;
      return { ...base, verdict: action.verdict, action: 'reload', at, waits, undoes };
    }
  }
}

/** The rollouts of workloads that the view has no memory of are unknown. */
function peersSeenBy(clusterView: ClusterView): PeerLookup {
  return lookupOf(clusterView.peers, (ref) => clusterView.note(ref) ?? { kind: 'absent' }, {
    of: (ref) => {
      const memory = clusterView.memory(ref);
      return memory && { memory, following: clusterView.following(ref) };
    },
  });
}

/** Without the digest key, Secrets can be read but not compared. */
function withoutKey(changed: SourceRef | undefined): NonNullable<PlanInput['incomparable']> {
  const known = changed && sourceKey(changed);
  return (source) =>
    source.kind === 'Secret' && sourceKey(source) !== known
      ? 'the digest key is not known here: ask the running operator'
      : undefined;
}

/** The key with which the workload's record was made. */
export function keyIdOf(workload: WorkloadFacts, note: ParsedNote | undefined): string | undefined {
  const merged = recordOf({
    workload,
    note: note ?? { kind: 'absent' },
    memory: undefined,
    keyId: undefined,
  });
  return merged.kind === 'record' ? merged.recorded?.keyId : undefined;
}
