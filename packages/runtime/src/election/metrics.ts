import type { Metrics } from '../metrics/metrics.ts';

export interface ElectionMetrics {
  leading(is: boolean): void;
  slowPath(): void;
}

/** The two upstream metrics; both exist at zero from the start. */
export function electionMetrics(metrics: Metrics | undefined, leaseName: string): ElectionMetrics {
  const labels = { name: leaseName };
  const status = metrics?.gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process leads (1) or not (0), by lease name',
    labelNames: ['name'],
    initial: [labels],
  });
  const slow = metrics?.counter({
    name: 'leader_election_slowpath_total',
    help: 'Renewals that needed to read the lease first, by lease name',
    labelNames: ['name'],
    initial: [labels],
  });
  return {
    leading: (is) => status?.set(is ? 1 : 0, labels),
    slowPath: () => slow?.inc(labels),
  };
}
