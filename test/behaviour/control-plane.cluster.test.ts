import { useControlPlane } from '../control-plane/vitest.ts';
import { behaviourSuite } from './suite.ts';

const cluster = useControlPlane({ workloads: true });

behaviourSuite('a real API server', () => ({
  url: cluster().server,
  ca: cluster().authority.certificate,
  token: cluster().adminToken,
}));
