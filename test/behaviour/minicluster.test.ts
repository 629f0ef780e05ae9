import { startMinicluster } from '@reloader/minicluster';
import { afterAll, beforeAll } from 'vitest';
import type { Target } from './probe.ts';
import { behaviourSuite } from './suite.ts';

let target: Target;
let stop: () => Promise<void>;

beforeAll(async () => {
  const cluster = await startMinicluster({ listen: {}, anonymous: true });
  const { url = '', ca = '', adminToken: token } = cluster;
  target = { url, ca, token };
  stop = () => cluster.stop();
});

afterAll(() => stop());

behaviourSuite('minicluster', () => target);
