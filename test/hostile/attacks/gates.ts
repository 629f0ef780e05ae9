/**
 * Workloads with every gate at once, each as expensive as the limits allow, and questions about all of them: windows
 * that hardly ever meet, in many zones, conditions that use up their steps, waves, canaries and checks of contents.
 */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import { ReloaderConfigs } from '../../../packages/operator/src/crds/reloader-config.ts';
import { poll } from '../../control-plane/poll.ts';
import { workload } from '../../reloader/objects.ts';
import type { Attack, Ground } from '../harness.ts';
import { hostileCondition, hostileWindows, restartWindow, windowsInYaml } from '../hostile-gates.ts';
import { askAll } from '../questions.ts';

const WORKLOADS = 100;
/** Workloads that follow all sources. */
const GREEDY = 4;
/** Has no gate of its own, so that its turn depends on the plans of all the others. */
const LAST = 'last';
const SOURCES = 12;
const CONFIGS = 3;
const KEYS = 100;
const ROUNDS = 2;
/** Every fifth workload is asked about. */
const ASKED = 5;
const PATIENCE_MS = 120_000;

const names = Array.from({ length: WORKLOADS }, (_, index) => `gated-${index}`);
const greedy = Array.from({ length: GREEDY }, (_, index) => `greedy-${index}`);
const sources = Array.from({ length: SOURCES }, (_, index) => `source-${index}`);
const dataOf = (value: string): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: KEYS }, (_, index) => [`key-${index}.json`, `"${value} ${index}"`]),
  );

export function gates(): Attack {
  return {
    title: `${WORKLOADS + GREEDY} workloads with hostile gates, and questions about them`,
    keepsServerBusy: true,
    async prepare(ground) {
      const evil = await ground.namespace('evil');
      await createSources(ground, evil);
      await createWorkloads(ground, evil);
      await createConfigs(ground, evil);
    },
    async strike(ground, victim) {
      const namespace = ground.nameOf('evil');
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const name of round === 0 ? sources : sources.slice(0, 3)) {
          const body = { data: dataOf(`round ${round}`) };
          await ground.client.patch(kinds.ConfigMap, { namespace, name }, { type: 'merge', body });
        }
        const answers = await askAll(victim.port, [
          ...[...names.filter((_, index) => index % ASKED === 0), ...greedy].map(
            (name) => `workloads/Deployment/${namespace}/${name}`,
          ),
          ...sources.slice(0, 2).map((name) => `what-if?kind=configmap&ns=${namespace}&name=${name}`),
          ...['status', 'overview', 'history', 'workloads', 'sources', 'timeline'],
          `sources/ConfigMap/${namespace}/source-0`,
        ]);
        // A question may be given up for a newer one, or take too long; none may fail.
        expect(answers.filter((status) => ![200, 503, 504].includes(status))).toEqual([]);
      }
      const held = (): number => {
        const lines = victim
          .log()
          .split('\n')
          .filter((line) => line.includes('Holding back a reload'));
        return [...names, ...greedy].filter((name) => lines.some((line) => line.includes(`"${name}"`)))
          .length;
      };
      await poll(async () => held() === WORKLOADS + GREEDY, {
        what: 'every hostile workload to be held',
        timeout: PATIENCE_MS,
        every: 250,
      });
    },
  };
}

async function createSources({ client }: Ground, namespace: string): Promise<void> {
  const labels = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`l${index}`, 'x'.repeat(63)]));
  const metadata = { namespace, labels, annotations: { 'reloader.stakater.com/format': 'key-0.json=json' } };
  for (const name of sources)
    await client.create(kinds.ConfigMap, { metadata: { ...metadata, name }, data: dataOf('first') });
}

async function createWorkloads({ client }: Ground, namespace: string): Promise<void> {
  for (const [index, name] of [...names, ...greedy].entries()) {
    const isGreedy = index >= WORKLOADS;
    const annotations = {
      auto: 'true',
      'reloader.stakater.com/sync-windows':
        index % 2 === 0 ? windowsInYaml(index) : JSON.stringify(hostileWindows(index)),
      'reloader.stakater.com/restart-window': restartWindow(index),
      'reloader.stakater.com/condition': hostileCondition(index),
      'reloader.stakater.com/wave': String(index % 7),
      'reloader.stakater.com/canary': 'true',
      'reloader.stakater.com/max-wait': `${index + 1}h`,
      'reloader.stakater.com/verify': 'true',
      'reloader.stakater.com/rate-limit': '1/1',
      ...(index % 3 === 0 && { 'reloader.stakater.com/approval': 'required' }),
    };
    const uses = (isGreedy ? sources : sources.slice(0, 3)).map((configMap) => ({ configMap }));
    await client.create(
      kinds.Deployment,
      workload('Deployment', name, namespace, { annotations, uses, replicas: 0 }),
    );
  }
  const annotations = { auto: 'true', 'reloader.stakater.com/wave': '9' };
  const uses = sources.map((configMap) => ({ configMap }));
  await client.create(
    kinds.Deployment,
    workload('Deployment', LAST, namespace, { annotations, uses, replicas: 0 }),
  );
}

async function createConfigs({ client }: Ground, namespace: string): Promise<void> {
  const targets = [...names, ...greedy].map((name, index) => ({
    kind: 'Deployment' as const,
    name,
    wave: index % 5,
    condition: hostileCondition(1000 + index),
  }));
  for (let index = 0; index < CONFIGS; index += 1) {
    await client.create(ReloaderConfigs, {
      metadata: { namespace, name: `gates-${index}` },
      spec: {
        watchedResources: { configMaps: sources },
        targets,
        windows: hostileWindows(200 + index),
        condition: hostileCondition(2000 + index),
        verify: {},
        canary: { steps: [1, '10%', '50%'], bake: '1h' },
        maxConcurrent: '10%',
        maxWait: '400h',
        validate: [{ key: `key-${index}.json`, format: 'json', rule: 'self.size() > 0' }],
      },
    });
  }
}
