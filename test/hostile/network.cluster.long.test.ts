/** Attacks through the port, on the real control plane. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { useControlPlane } from '../control-plane/vitest.ts';
import type { Bundle } from '../kills/bundle.ts';
import { NETWORK_ATTACKS } from './attacks/network.ts';
import { bundleVictim, expectUnharmed, groundAt, play } from './harness.ts';

const cluster = useControlPlane({ workloads: true });
let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleVictim();
}, 60_000);
afterAll(() => bundle.remove());

describe('Attacks through the port, on the real control plane', () => {
  test.for(NETWORK_ATTACKS.map((attack, index) => ({ ...attack, index })))(
    '$title',
    { timeout: 180_000 },
    async ({ index, ...attack }) => {
      const ground = await groundAt(cluster().kubeconfig, `n${index}-`);
      expectUnharmed(await play(attack, ground, bundle.file), attack);
    },
  );
});
