/**
 * Whether it is a workload's turn among the peers that are affected by the same change. Pure.
 *
 * Peers follow the same source, in the same namespace or as targets of the same config: the order that one tenant sets
 * holds no other tenant's workloads. A workload without an order, whose peers have none, costs one look-up.
 */
import { sourceOfLedgerKey } from '../../ledger/ledger.ts';
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import type { ConfigFacts } from '../../model/config.ts';
import type { Verdict } from '../../model/decision.ts';
import type { FailedElsewhere } from '../../model/failed-content.ts';
import type { Order, Turn } from '../../model/order.ts';
import type { SourceRef } from '../../model/source.ts';
import type { Want } from '../../model/want.ts';
import { refOf, type WorkloadFacts, workloadKey } from '../../model/workload.ts';
import type { World } from '../../model/world.ts';
import { membersOf } from '../../want/budgets.ts';
import { configName } from '../../want/config-match.ts';
import { turnByCanary } from './canary.ts';
import { hasWaves, waveOf } from './place.ts';
import type { OrderInput, StandingInput } from './standing.ts';
import { type Earlier, turnByWave } from './waves.ts';

const NO_ORDER: Order = { failures: [] };

/** False for the most workloads, which then cost nothing more: neither they nor their peers have an order. */
export function mayHaveOrder(
  workload: WorkloadFacts,
  { configs }: Pick<Want, 'configs'>,
  peers: StandingInput['peers'],
): boolean {
  return isOrdered(workload, configs, peers) || configs.some((config) => config.canary !== undefined);
}

export function orderOf(
  workload: WorkloadFacts,
  want: Want,
  { differences }: Verdict,
  given: OrderInput,
): Order {
  const input = { ...given, world: withKnownConfigs(given.world) };
  const { namespace } = workload.metadata;
  let wave: Turn | undefined;
  let canary: Turn | undefined;
  const failures: FailedElsewhere[] = [];
  for (const { key, reload } of differences) {
    const source = reload ? sourceOfLedgerKey(key, namespace) : undefined;
    const wanted = want.sources.find((each) => each.key === key);
    if (!source || !wanted) continue;
    const configs = want.configs.filter((config) => wanted.configs.includes(configName(config)));
    if (isOrdered(workload, configs, input.peers)) {
      const own = waveOf(workload, source, input.world, input.settings);
      const byWave = turnByWave(own, earlierThan(own, workload, configs, source, input), source, input);
      wave = surer(wave, byWave.turn);
      failures.push(...byWave.failures);
    }
    const withCanary = configs.find((config) => config.canary);
    if (withCanary) {
      const byCanary = turnByCanary(workload, withCanary, source, input);
      canary = surer(canary, byCanary.turn);
      failures.push(...byCanary.failures);
    }
  }
  if (!wave && !canary && failures.length === 0) return NO_ORDER;
  return { ...(wave && { wave }), ...(canary && { canary }), failures };
}

/** Each source that has changed asks for the configs of the same peers. */
function withKnownConfigs(world: World): World {
  const known = new Map<string, readonly ConfigFacts[]>();
  return {
    ...world,
    configsFor: (ref) => {
      const key = workloadKey(ref);
      let configs = known.get(key);
      if (!configs) {
        configs = world.configsFor(ref);
        known.set(key, configs);
      }
      return configs;
    },
  };
}

/** Of two reasons to wait the first, unless only the second is certain. */
function surer(first: Turn | undefined, second: Turn | undefined): Turn | undefined {
  return !first || (first.unfinished && second && !second.unfinished) ? second : first;
}

function isOrdered(
  { annotations, metadata }: WorkloadFacts,
  configs: readonly ConfigFacts[],
  peers: StandingInput['peers'],
): boolean {
  return (
    configs.some(hasWaves) ||
    annotations[FIXED_ANNOTATIONS.wave] !== undefined ||
    peers.isOrdered(metadata.namespace)
  );
}

/** Sorted by wave, then by name. */
function earlierThan(
  own: number,
  workload: WorkloadFacts,
  configs: readonly ConfigFacts[],
  source: SourceRef,
  { world, peers, settings }: OrderInput,
): readonly Earlier[] {
  const self = refOf(workload);
  const isPeer = (key: string, namespace: string): boolean =>
    namespace === self.namespace || configs.some((config) => membersOf(config).has(key));
  const found = peers.of(source).flatMap((ref): Earlier[] => {
    const key = workloadKey(ref);
    const facts = key === workloadKey(self) || !isPeer(key, ref.namespace) ? undefined : world.workload(ref);
    const wave = facts ? waveOf(facts, source, world, settings) : own;
    return facts && wave < own ? [{ ref, uid: facts.metadata.uid, wave }] : [];
  });
  return found.sort((a, b) => a.wave - b.wave || (workloadKey(a.ref) < workloadKey(b.ref) ? -1 : 1));
}
