/** Scenarios as tests on the real control plane: several at a time, each in namespaces of its own. */
import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { useControlPlane } from '../control-plane/vitest.ts';
import { check } from './checks/index.ts';
import { RealStage } from './real-stage.ts';
import { perform, type Scenario } from './scenario.ts';
import { Theatre, type TheatreOptions } from './theatre.ts';

const AT_A_TIME = 10;

export function playReally(scenarios: readonly Scenario[], options: TheatreOptions = {}): void {
  vi.setConfig({ maxConcurrency: AT_A_TIME });
  const { argoRollouts = false } = options;
  const cluster = useControlPlane({ workloads: true, argoRollouts, auditLevel: 'Request' });
  let theatre: Theatre | undefined;
  let number = 0;
  beforeAll(async () => {
    theatre = await Theatre.open(cluster(), options);
  });
  afterAll(async () => theatre?.close());
  const play = async (each: Scenario): Promise<void> => {
    if (!theatre) throw new Error('The theatre is open while tests run');
    number += 1;
    await perform(each, await RealStage.set(theatre, `s${number}`), check);
  };
  const here = scenarios.filter(({ only }) => only !== 'minicluster');
  const together = here.filter(({ alone }) => !alone);
  if (together.length > 0)
    describe.concurrent('side by side', () => {
      for (const each of together) test(each.name, () => play(each));
    });
  const lonely = here.filter(({ alone }) => alone);
  if (lonely.length === 0) return;
  describe('one after the other', () => {
    for (const each of lonely) test(each.name, () => play(each));
  });
}
