/** Scenarios as tests on minicluster. */
import { describe, test } from 'vitest';
import { check } from './checks/index.ts';
import { perform, type Scenario } from './scenario.ts';
import { VirtualStage } from './virtual-stage.ts';

/** An hour of virtual time with two replicas means 3,600 renewals of a Lease. */
const PATIENCE_MS = 60_000;

export function playVirtually(title: string, scenarios: readonly Scenario[]): void {
  describe(title, () => {
    for (const each of scenarios.filter(({ only }) => only !== 'cluster')) {
      test(each.name, { timeout: PATIENCE_MS }, async () => perform(each, await VirtualStage.set(), check));
    }
  });
}
