/** Pods, configs and namespaces that are created, changed and deleted, also while no controller runs. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import { PodConfigMapConfigs } from '../../../packages/operator/src/podconfig/model.ts';
import type { Scenario } from '../scenarios.ts';
import type { Stage } from '../stage.ts';

const MADE = 'pod-web-from-meta-cfg';

/** A pod and a config that selects everything, with its ConfigMap. */
async function begin(stage: Stage, finalizers: string[] = []): Promise<void> {
  await stage.pod('web', { labels: { app: 'web' }, finalizers });
  await stage.config('meta');
  await has(stage, MADE);
}

async function has(stage: Stage, ...names: string[]): Promise<void> {
  await stage.ground.until(async () => expect(await stage.names()).toEqual(names));
}

export const life: readonly Scenario[] = [
  {
    id: 'reborn',
    rule: 'a pod made anew under its name gets the ConfigMap, whether we watched or not',
    async play(stage) {
      await begin(stage);
      const belongsTo = async (pod: { metadata: { uid: string } }): Promise<void> => {
        await stage.ground.until(async () => {
          const { metadata } = await stage.configMap(MADE);
          expect(metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([pod.metadata.uid]);
          expect(metadata.labels?.['podconfig.example.com/pod-uid']).toBe(pod.metadata.uid);
        });
      };
      await stage.client.delete(kinds.Pod, stage.key('web'));
      await belongsTo(await stage.pod('web'));
      await stage.ground.stop();
      await stage.client.delete(kinds.Pod, stage.key('web'));
      const reborn = await stage.pod('web');
      stage.ground.start();
      await belongsTo(reborn);
    },
  },
  {
    id: 'ending-pod',
    rule: 'a pod that ends keeps its ConfigMap, gets no new one, and takes it along',
    async play(stage) {
      await begin(stage, ['example.com/hold']);
      await stage.client.delete(kinds.Pod, stage.key('web'));
      await stage.ground.settle();
      expect(await stage.names()).toEqual([MADE]);
      await stage.client.delete(kinds.ConfigMap, stage.key(MADE));
      await stage.config('more');
      await stage.ground.until(async () =>
        expect(await stage.status('more')).toMatchObject({ observedGeneration: 1, matchedPods: 0 }),
      );
      expect(await stage.names()).toEqual([]);
      await stage.client.patch(kinds.Pod, stage.key('web'), {
        type: 'merge',
        body: { metadata: { finalizers: null } },
      });
      await stage.ground.settle();
      expect(await stage.names()).toEqual([]);
    },
  },
  {
    id: 'ending-config',
    rule: 'a config that goes takes its ConfigMaps along, also those of pods that end',
    async play(stage) {
      await begin(stage, ['example.com/hold']);
      await stage.client.delete(kinds.Pod, stage.key('web'));
      await stage.client.delete(PodConfigMapConfigs, stage.key('meta'));
      await has(stage);
      await stage.client.patch(kinds.Pod, stage.key('web'), {
        type: 'merge',
        body: { metadata: { finalizers: null } },
      });
    },
  },
  {
    id: 'finished-pod',
    rule: 'a pod that has finished keeps its ConfigMap, with the new phase',
    async play(stage) {
      await begin(stage);
      const options = { subresource: 'status' };
      await stage.client.patch(
        kinds.Pod,
        stage.key('web'),
        { type: 'merge', body: { status: { phase: 'Succeeded' } } },
        options,
      );
      await stage.ground.until(async () =>
        expect((await stage.configMap(MADE)).data).toMatchObject({ phase: 'Succeeded' }),
      );
    },
  },
  {
    id: 'missed-pod',
    rule: 'what was made for a pod that went while nobody watched is removed',
    async play(stage) {
      await begin(stage);
      await stage.pod('stays');
      await has(stage, 'pod-stays-from-meta-cfg', MADE);
      await stage.ground.stop();
      await stage.client.delete(kinds.Pod, stage.key('web'));
      stage.ground.start();
      await has(stage, 'pod-stays-from-meta-cfg');
    },
  },
  {
    id: 'selector',
    rule: 'a selector that changes makes exactly the needed writes',
    async play(stage) {
      for (const [name, app] of [
        ['one', 'a'],
        ['two', 'a'],
        ['three', 'b'],
      ] as const)
        await stage.pod(name, { labels: { app } });
      await stage.config('meta', { podSelector: { matchLabels: { app: 'a' } } });
      await has(stage, 'pod-one-from-meta-cfg', 'pod-two-from-meta-cfg');
      await stage.ground.settle();
      stage.ground.takeWrites();
      await stage.respec('meta', { podSelector: { matchLabels: { app: 'b' } } });
      await has(stage, 'pod-three-from-meta-cfg');
      await stage.ground.settle();
      const configMaps = stage.ground.takeWrites().filter(({ target }) => target.startsWith('configmaps'));
      expect(configMaps.map(({ verb }) => verb).sort()).toEqual(['create', 'delete', 'delete']);
      await stage.respec('meta', { podSelector: null });
      await has(stage, 'pod-one-from-meta-cfg', 'pod-three-from-meta-cfg', 'pod-two-from-meta-cfg');
      await stage.relabel('one', { app: 'b' });
      await stage.respec('meta', {
        podSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['b'] }] },
      });
      await has(stage, 'pod-two-from-meta-cfg');
    },
  },
  {
    id: 'missed-config',
    rule: 'a config that went while nobody watched leaves nothing',
    async play(stage) {
      await begin(stage);
      await stage.ground.stop();
      await stage.client.delete(PodConfigMapConfigs, stage.key('meta'));
      stage.ground.start();
      await has(stage);
    },
  },
  {
    id: 'remade-config',
    rule: 'a config made anew under its name is carried out as it is now, also when nobody watched',
    async play(stage) {
      await begin(stage);
      await stage.client.delete(PodConfigMapConfigs, stage.key('meta'));
      await stage.config('meta', { labelsToInclude: ['app'] });
      const carriedOut = async (data: object): Promise<void> => {
        await stage.ground.until(async () => {
          expect((await stage.configMap(MADE)).data).toMatchObject(data);
          expect(await stage.status('meta')).toMatchObject({ observedGeneration: 1, managedConfigMaps: 1 });
        });
      };
      await carriedOut({ label_app: 'web' });
      await stage.ground.stop();
      await stage.client.delete(PodConfigMapConfigs, stage.key('meta'));
      await stage.config('meta', { configMapDataTemplate: { line: '{{ .metadata.labels.app }}' } });
      stage.ground.start();
      await carriedOut({ line: 'web' });
      expect((await stage.configMap(MADE)).data).not.toHaveProperty('label_app');
    },
  },
  {
    id: 'ending-namespace',
    rule: 'in a namespace that goes nothing is made, and nothing is tried again and again',
    async play(stage) {
      await begin(stage, ['example.com/hold']);
      await stage.client.delete(kinds.Namespace, { name: stage.ground.namespace });
      await stage.client.delete(kinds.ConfigMap, stage.key(MADE)).catch(() => undefined);
      await stage.ground.settle();
      stage.ground.takeWrites();
      await stage.relabel('web', { x: '1' });
      await stage.ground.settle();
      await stage.ground.settle();
      const tries = stage.ground.takeWrites().filter(({ verb }) => verb === 'create');
      expect(tries.length).toBeLessThanOrEqual(1);
      await stage.client.patch(kinds.Pod, stage.key('web'), {
        type: 'merge',
        body: { metadata: { finalizers: null } },
      });
    },
  },
  {
    id: 'several',
    rule: 'several configs that select a pod make one ConfigMap each, and one goes without the others',
    async play(stage) {
      await begin(stage);
      await stage.config('more');
      await has(stage, MADE, 'pod-web-from-more-cfg');
      await stage.client.delete(PodConfigMapConfigs, stage.key('meta'));
      await has(stage, 'pod-web-from-more-cfg');
    },
  },
];
