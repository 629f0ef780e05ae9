import { kinds } from '@reloader/runtime';
import { expect, test } from 'vitest';
import type { WhatIf } from '../../packages/operator/src/api/shapes.ts';
import { run } from '../../packages/operator/src/cli/command-io.test.support.ts';
import { type Manifest, NAMESPACES, randomCluster } from './random-cluster.ts';
import { OPERATOR_NAMESPACE, Stage } from './stage.ts';

const SEEDS = 12;
const never = new AbortController().signal;

/** With the flags of the operator's Deployment, a command that may read everything predicts what the operator does. */
async function compare(seed: number): Promise<number> {
  const random = randomCluster(seed);
  // In observe mode the state is only in the operator's memory.
  const cluster = { ...random, flags: random.flags.filter((flag) => flag !== '--mode=observe') };
  const stage = await Stage.set({ seed, flags: cluster.flags, namespaces: NAMESPACES });
  try {
    for (const [name, annotations] of Object.entries(cluster.namespaceAnnotations))
      await stage.client.patch(
        kinds.Namespace,
        { name },
        { type: 'merge', body: { metadata: { annotations } } },
      );
    await stage.create(operatorDeployment(cluster.flags));
    for (const object of [...cluster.sources, ...cluster.configs, ...cluster.workloads])
      await stage.create(object);
    await stage.clock.advance(10_000);
    await stage.startOperator();
    await stage.clock.advance(60_000);
    let reloads = 0;
    for (const namespace of NAMESPACES) {
      for (const kind of ['Secret', 'ConfigMap'] as const) {
        const ref = { kind, namespace, name: 'alpha' };
        const told = await stage.operatorView.whatIf(ref, {}, never);
        const argv = ['what-if', `${kind.toLowerCase()}/alpha`, '-n', namespace, '-o', 'json'];
        const { out, err } = await stage.drive(run(argv, { client: stage.client, clock: stage.clock }));
        expect(err).toBe('');
        const alone = JSON.parse(out) as WhatIf;
        expect(essence(alone), `seed ${seed}, ${cluster.flags.join(' ')}`).toEqual(essence(told));
        reloads += told.reloads.length;
      }
    }
    return reloads;
  } finally {
    await stage.close();
  }
}

function essence({ change, reloads, others }: WhatIf): unknown {
  return {
    change,
    reloads: reloads.map(({ workload, waits, rule, configs, how, order }) => ({
      workload,
      waits: waits.map(({ why }) => why),
      rule,
      configs,
      how,
      order,
    })),
    others,
  };
}

function operatorDeployment(flags: readonly string[]): Manifest {
  const labels = { 'app.kubernetes.io/name': 'reloader' };
  const containers = [{ name: 'reloader', image: 'registry.test/reloader:1', args: [...flags] }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'reloader', namespace: OPERATOR_NAMESPACE, labels },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  } as Manifest;
}

test('without the operator, what-if gives the same answers, in random clusters', {
  timeout: 60_000,
}, async () => {
  let reloads = 0;
  for (let seed = 1; seed <= SEEDS; seed++) reloads += await compare(seed);
  expect(reloads).toBeGreaterThan(SEEDS);
});
