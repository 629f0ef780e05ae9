import { describe, expect, it } from 'vitest';
import { useControlPlane } from '../../../../test/control-plane/vitest.ts';
import { createClient, loadConfig } from '../client/index.ts';
import { checkConvergence } from './convergence.test.support.ts';

const cluster = useControlPlane();

describe('On a real API server', () => {
  it('the cache equals the server after 10 000 writes by 4 writers and 5 kills of the server', async () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
    process.stdout.write(`SEED=${seed}\n`);
    const namespaces = ['convergence-a', 'convergence-b', 'convergence-c'];
    for (const namespace of namespaces) await cluster().kubectl(['create', 'namespace', namespace]);
    const account = await cluster().serviceAccount('convergence-reader', 'reader', {
      clusterRules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }],
    });
    const writer = createClient({ config: await loadConfig({ kubeconfig: cluster().kubeconfig }) });
    const reader = createClient({ config: await loadConfig({ kubeconfig: account.kubeconfig }) });
    try {
      const { cached, listed, replayed, health, ...report } = await checkConvergence({
        seed,
        writers: 4,
        writes: 10_000,
        kills: 5,
        namespaces,
        reader,
        writer,
        killAndRestart: async () => {
          await cluster().kill('kube-apiserver');
          await cluster().restart('kube-apiserver');
        },
      });
      process.stdout.write(`${JSON.stringify(report)}\n`);
      expect(cached).toEqual(listed);
      expect(replayed).toEqual(listed);
      expect(report.faults).toEqual([]);
      expect(report.events).toBeGreaterThan(5000);
      expect(health.state.phase).toBe('watching');
    } finally {
      await Promise.all([reader.close(), writer.close()]);
    }
  });
});
