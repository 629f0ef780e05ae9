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
import { membersOf } from '../../want/budgets.ts';
import { configName } from '../../want/config-match.ts';
import { turnByCanary } from './canary.ts';
import { hasWaves, waveOf } from './place.ts';
import type { StandingInput } from './standing.ts';
import { type Earlier, turnByWave } from './waves.ts';

const NO_ORDER: Order = { failures: [] };

export function orderOf(
  workload: WorkloadFacts,
  want: Want,
  { differences }: Verdict,
  input: StandingInput,
): Order {
  const { namespace } = workload.metadata;
  let wave: Turn | undefined;
  let canary: Turn | undefined;
  const failures: FailedElsewhere[] = [];
  for (const { key, reload } of differences) {
    const source = reload ? sourceOfLedgerKey(key, namespace) : undefined;
    const wanted = want.sources.find((each) => each.key === key);
    if (!source || !wanted) continue;
    const configs = want.configs.filter((config) => wanted.configs.includes(configName(config)));
    if (isOrdered(workload, configs, input)) {
      const own = waveOf(workload, source, input.world);
      const byWave = turnByWave(own, earlierThan(own, workload, configs, source, input), source, input);
      wave ??= byWave.turn;
      failures.push(...byWave.failures);
    }
    const withCanary = configs.find((config) => config.canary);
    if (withCanary) {
      const byCanary = turnByCanary(workload, withCanary, source, input);
      canary ??= byCanary.turn;
      failures.push(...byCanary.failures);
    }
  }
  if (!wave && !canary && failures.length === 0) return NO_ORDER;
  return { ...(wave && { wave }), ...(canary && { canary }), failures };
}

function isOrdered(
  { annotations, metadata }: WorkloadFacts,
  configs: readonly ConfigFacts[],
  { peers }: StandingInput,
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
  { world, peers }: StandingInput,
): readonly Earlier[] {
  const self = refOf(workload);
  const isPeer = (key: string, namespace: string): boolean =>
    namespace === self.namespace || configs.some((config) => membersOf(config).has(key));
  const found = peers.of(source).flatMap((ref): Earlier[] => {
    const key = workloadKey(ref);
    const facts = key === workloadKey(self) || !isPeer(key, ref.namespace) ? undefined : world.workload(ref);
    const wave = facts ? waveOf(facts, source, world) : own;
    return facts && wave < own ? [{ ref, uid: facts.metadata.uid, wave }] : [];
  });
  return found.sort((a, b) => a.wave - b.wave || (workloadKey(a.ref) < workloadKey(b.ref) ? -1 : 1));
}
