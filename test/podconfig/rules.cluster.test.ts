import { beforeAll, describe, it } from 'vitest';
import { useControlPlane } from '../control-plane/vitest.ts';
import { openRealGround } from './real-ground.ts';
import { SCENARIOS } from './scenarios.ts';
import { Stage } from './stage.ts';

const cluster = useControlPlane({ controllers: true });

beforeAll(async () => {
  const definition = ['-f', 'crd/podconfigmapconfig_crd.yaml'];
  await cluster().kubectl(['apply', ...definition]);
  await cluster().kubectl(['wait', '--for=condition=Established', ...definition]);
});

describe.concurrent('ConfigMaps from pods, on the real control plane', () => {
  it.each(SCENARIOS)('$id: $rule', async ({ id, play }) => {
    const ground = await openRealGround(cluster(), id);
    try {
      const stage = new Stage(ground);
      // Pods need the ServiceAccount that the control plane creates in every namespace.
      await ground.until(async () => void (await stage.account()));
      ground.start();
      await play(stage);
    } finally {
      await ground.close();
    }
  });
});
