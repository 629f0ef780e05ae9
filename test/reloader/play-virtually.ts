/** Scenarios as tests on minicluster. */
import { describe, test } from 'vitest';
import { check } from './checks/index.ts';
import { perform, type Scenario } from './scenario.ts';
import { VirtualStage } from './virtual-stage.ts';

export function playVirtually(title: string, scenarios: readonly Scenario[]): void {
  describe(title, () => {
    for (const each of scenarios.filter(({ only }) => only !== 'cluster')) {
      test(each.name, async () => perform(each, await VirtualStage.set(), check));
    }
  });
}
