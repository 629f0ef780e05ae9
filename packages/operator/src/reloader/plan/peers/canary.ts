/**
 * The steps of a canary across the targets of a config, inside one wave. Pure.
 *
 * Everything is derived from the peers' records and outcomes, so a new process continues where the last one stopped.
 * Another change in the middle repeats the first step alone and then continues at the step that was reached: otherwise,
 * with daily changes, most workloads would never be reloaded.
 */
import { formatEntry, ledgerKey } from '../../ledger/ledger.ts';
import { outcomesOf } from '../../ledger/note.ts';
import { limitOf } from '../../model/budget.ts';
import type { ConfigFacts } from '../../model/config.ts';
import type { FailedElsewhere } from '../../model/failed-content.ts';
import type { Turn } from '../../model/order.ts';
import type { SourceRef } from '../../model/source.ts';
import type { OutcomeResult } from '../../model/verify.ts';
import {
  parseWorkloadKey,
  refOf,
  type WorkloadFacts,
  type WorkloadRef,
  workloadKey,
} from '../../model/workload.ts';
import { membersOf } from '../../want/budgets.ts';
import { configName } from '../../want/config-match.ts';
import { MOST_AWAITED, namesOf } from './names.ts';
import { goesFirst, waveOf } from './place.ts';
import {
  type OrderInput,
  plannedStanding,
  recordedStanding,
  recordOfPeer,
  type Standing,
  type StandingInput,
} from './standing.ts';

interface Member {
  readonly key: string;
  readonly ref: WorkloadRef;
  readonly uid: string;
  readonly first: boolean;
  readonly standing: Standing | 'differs';
}

export function turnByCanary(
  workload: WorkloadFacts,
  config: ConfigFacts,
  source: SourceRef,
  input: OrderInput,
): { readonly turn: Turn | undefined; readonly failures: readonly FailedElsewhere[] } {
  const members = membersLike(workload, config, source, input);
  const failures = members.flatMap(({ key, uid, standing }): FailedElsewhere[] => {
    if (standing === 'differs' || standing.kind !== 'failed') return [];
    return [{ workload: key, uid, seq: standing.seq, message: standing.message, source }];
  });
  return { turn: turnAmong(members, workload, config, source, input), failures };
}

function turnAmong(
  members: readonly Member[],
  workload: WorkloadFacts,
  config: ConfigFacts,
  source: SourceRef,
  input: StandingInput,
): Turn | undefined {
  const { canary } = config;
  if (!canary) return undefined;
  const { now } = input;
  const own = workloadKey(refOf(workload));
  const proven = members
    .flatMap(({ standing }) => (standing !== 'differs' && standing.kind === 'ok' ? [standing.at] : []))
    .sort((a, b) => a - b);
  const sizes = canary.steps.map((step) => Math.min(limitOf(step, members.length), members.length));
  const bakedAt = (size: number): number | undefined => {
    const last = proven[size - 1];
    return last === undefined ? undefined : last + canary.bakeMs;
  };
  const isOver = (size: number): boolean => (bakedAt(size) ?? Number.POSITIVE_INFINITY) <= now;
  const isFirstOver = sizes[0] === undefined || isOver(sizes[0]);
  const reached = isFirstOver ? reachedBefore(members, source, input) : 0;
  const step = sizes.findIndex((size, index) => !isOver(size) && !(index > 0 && size <= reached));
  const size = sizes[step];
  if (size === undefined) return undefined;
  const begun = members.filter(({ standing }) => hasBegun(standing));
  const awaited: { key: string; why: string }[] = [];
  for (const { key, standing } of begun) {
    if (standing !== 'differs' && standing.kind === 'running') awaited.push({ key, why: 'rolls out' });
  }
  // A member whose outcome stays unknown proves nothing, so that the next one takes its place.
  let free = size - begun.filter(({ standing }) => !hasEndedUnknown(standing)).length;
  let unfinished = false;
  for (const member of members.filter(({ standing }) => !hasBegun(standing)).sort(byPlace)) {
    if (free <= 0) break;
    if (member.key === own) return undefined;
    const standing =
      member.standing === 'differs' ? plannedStanding(member.ref, source, input) : member.standing;
    if (standing.kind !== 'pending') continue;
    free -= 1;
    unfinished ||= standing.unseen === true;
    awaited.push({ key: member.key, why: standing.why });
  }
  const bakes = bakedAt(size);
  const where = `Canary of ReloaderConfig ${configName(config)}, step ${step + 1} of ${sizes.length} (${size} of ${members.length})`;
  const rest =
    awaited.length > 0
      ? `waits for ${namesOf(awaited)}`
      : bakes === undefined
        ? 'waits until those that have the change have proven themselves'
        : `the next step begins after ${canary.bakeMs / 1000}s`;
  return {
    message: `${where}: ${rest}`,
    until: awaited.length === 0 ? bakes : undefined,
    peers: awaited.slice(0, MOST_AWAITED).map(({ key }) => key),
    ...(unfinished && { unfinished }),
  };
}

/** Targets of the same wave that are affected by the change, the workload itself included. */
function membersLike(
  workload: WorkloadFacts,
  config: ConfigFacts,
  source: SourceRef,
  input: OrderInput,
): readonly Member[] {
  const { world, settings } = input;
  const own = workloadKey(refOf(workload));
  const wave = waveOf(workload, source, world, settings);
  return [...membersOf(config)].flatMap((key): Member[] => {
    const ref = parseWorkloadKey(key);
    const facts = world.workload(ref);
    if (!facts || waveOf(facts, source, world, settings) !== wave) return [];
    const standing = key === own ? 'differs' : recordedStanding(ref, source, input);
    if (standing !== 'differs' && standing.kind === 'unaffected') return [];
    return [{ key, ref, uid: facts.metadata.uid, first: goesFirst(facts), standing }];
  });
}

function hasBegun(standing: Member['standing']): boolean {
  if (standing === 'differs') return false;
  return standing.kind === 'aside' ? standing.begun : standing.kind !== 'pending';
}

function hasEndedUnknown(standing: Member['standing']): boolean {
  return standing !== 'differs' && standing.kind === 'aside' && standing.ended === true;
}

function byPlace(a: Member, b: Member): number {
  return (
    Number(b.first) - Number(a.first) || compareText(a.ref.name, b.ref.name) || compareText(a.key, b.key)
  );
}

/**
 * How many members succeeded with an earlier change of this canary that the last member in the order does not have yet.
 */
function reachedBefore(members: readonly Member[], source: SourceRef, input: StandingInput): number {
  const last = members
    .filter(({ standing }) => !hasBegun(standing))
    .sort(byPlace)
    .at(-1);
  if (!last) return members.length;
  const oldest = contentOf(last.ref, source, input);
  return members.filter(({ ref, standing }) => {
    const present = hasBegun(standing) ? contentOf(ref, source, input) : undefined;
    const outcomes = outcomesFor(ref, source, input);
    const since = outcomes.slice(outcomes.findLastIndex(({ content }) => content === oldest) + 1);
    return since.some(({ content, result }) => content !== present && result === 'ok');
  }).length;
}

function outcomesFor(
  ref: WorkloadRef,
  source: SourceRef,
  { world, peers }: StandingInput,
): readonly { readonly content: string; readonly result: OutcomeResult }[] {
  const { uid = '' } = world.workload(ref)?.metadata ?? {};
  const key = ledgerKey(source, ref.namespace);
  return outcomesOf(peers.note(ref), uid).flatMap(({ sources, result }) => {
    const content = sources[key];
    return content === undefined ? [] : [{ content, result }];
  });
}

/** The recorded content of the source. */
function contentOf(ref: WorkloadRef, source: SourceRef, input: StandingInput): string | undefined {
  const workload = input.world.workload(ref);
  if (!workload) return undefined;
  const record = recordOfPeer(workload, input);
  if (record.kind !== 'record') return undefined;
  const entry = record.recorded?.sources.get(ledgerKey(source, ref.namespace));
  return entry && formatEntry(entry);
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
