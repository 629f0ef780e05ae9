/** Attacks through the port, on minicluster. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Bundle } from '../kills/bundle.ts';
import { NETWORK_ATTACKS } from './attacks/network.ts';
import { bundleVictim, expectUnharmed, miniGround, play } from './harness.ts';

let bundle: Bundle;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hostile-'));
  bundle = await bundleVictim();
}, 60_000);
afterAll(async () => {
  await bundle.remove();
  await rm(directory, { recursive: true, force: true });
});

describe('Attacks through the port, on minicluster', () => {
  test.for(NETWORK_ATTACKS)('$title', { timeout: 180_000 }, async (attack) => {
    expectUnharmed(await play(attack, await miniGround(directory), bundle.file), attack);
  });
});
