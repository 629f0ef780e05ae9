/** Names: of ConfigMaps, labels and data keys. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import { PodConfigMapConfigs } from '../../../packages/operator/src/podconfig/model.ts';
import type { Scenario } from '../scenarios.ts';

const HASHED = /^pod-.*-[0-9a-f]{10}$/;

export const naming: readonly Scenario[] = [
  {
    id: 'long-names',
    rule: 'a name that would be too long is cut and gets a hash; so does the label',
    async play(stage) {
      const [pod, config] = [`p${'o'.repeat(200)}`, `c${'f'.repeat(200)}`];
      await stage.pod(pod);
      await stage.config(config);
      await stage.ground.until(async () => {
        const [made] = await stage.generated();
        expect(made?.metadata.name).toMatch(HASHED);
        expect(made?.metadata.name.length).toBeLessThanOrEqual(253);
        expect(made?.metadata.labels?.['podconfig.example.com/generated-by-pcmc']).toMatch(
          /^cf{51}-[0-9a-f]{10}$/,
        );
        expect(made?.data).toMatchObject({ podName: pod, pcmcName: config });
        expect(await stage.status(config)).toMatchObject({
          observedGeneration: 1,
          managedConfigMaps: 1,
          conditions: [
            {
              message: `1 ConfigMap for 1 pod; under another name, because the usual one is too long or was taken: ${made?.metadata.name}`,
            },
          ],
        });
      });
      await stage.client.delete(PodConfigMapConfigs, stage.key(config));
      await stage.ground.until(async () => expect(await stage.names()).toEqual([]));
    },
  },
  {
    id: 'long-config',
    rule: 'a config whose name is no label value gets a hashed label and the plain name',
    async play(stage) {
      const config = 'c'.repeat(64);
      await stage.pod('web');
      await stage.config(config);
      await stage.ground.until(async () => {
        const [made] = await stage.generated();
        expect(made?.metadata.name).toBe(`pod-web-from-${config}-cfg`);
        const label = made?.metadata.labels?.['podconfig.example.com/generated-by-pcmc'];
        expect(label).toMatch(/^c{52}-[0-9a-f]{10}$/);
      });
      await stage.client.delete(PodConfigMapConfigs, stage.key(config));
      await stage.ground.until(async () => expect(await stage.names()).toEqual([]));
    },
  },
  {
    id: 'collision',
    rule: 'two pairs that would share a name have one each, and each its own data',
    async play(stage) {
      await stage.pod('a');
      await stage.config('b-from-c');
      await stage.ground.until(async () => expect(await stage.names()).toEqual(['pod-a-from-b-from-c-cfg']));
      await stage.pod('a-from-b');
      await stage.config('c');
      await stage.ground.until(async () => {
        const made = await stage.generated();
        const pairs = made.map(({ metadata, data }) => [metadata.name, `${data?.podName} ${data?.pcmcName}`]);
        expect(pairs.sort()).toEqual([
          ['pod-a-from-b-from-b-from-c-cfg', 'a-from-b b-from-c'],
          ['pod-a-from-b-from-c-cfg', 'a b-from-c'],
          [expect.stringMatching(/^pod-a-from-b-from-c-cfg-[0-9a-f]{10}$/), 'a-from-b c'],
          ['pod-a-from-c-cfg', 'a c'],
        ]);
      });
      await stage.ground.settle();
      stage.ground.takeWrites();
      await stage.relabel('a', { x: '1' });
      await stage.relabel('a-from-b', { x: '1' });
      await stage.ground.settle();
      expect(stage.ground.takeWrites()).toEqual([]);
    },
  },
  {
    id: 'dots',
    rule: 'a pod whose name has dots is as good as any',
    async play(stage) {
      await stage.pod('web.0.eu');
      await stage.config('meta');
      await stage.ground.until(async () =>
        expect(await stage.names()).toEqual(['pod-web.0.eu-from-meta-cfg']),
      );
    },
  },
  {
    id: 'keys',
    rule: 'a slash in a key becomes an underscore; where that makes two alike, the changed one gets a hash',
    async play(stage) {
      await stage.pod('web', {
        labels: { 'example.com/tier': 'slash', 'example.com_tier': 'plain', 'pod-template-hash': 'h' },
        annotations: { 'deployment.kubernetes.io/revision': '3', 'Example.COM/Build': '7' },
      });
      await stage.config('meta', {
        labelsToInclude: ['example.com/tier', 'example.com_tier', 'pod-template-hash', 'absent'],
        annotationsToInclude: ['deployment.kubernetes.io/revision', 'Example.COM/Build'],
      });
      await stage.ground.until(async () => {
        const { data = {} } = await stage.configMap('pod-web-from-meta-cfg');
        const copied = Object.entries(data).filter(([key]) => /^(label|annotation)_/.test(key));
        expect(copied.sort()).toEqual([
          ['annotation_Example.COM_Build', '7'],
          ['annotation_deployment.kubernetes.io_revision', '3'],
          ['label_example.com_tier', 'plain'],
          [expect.stringMatching(/^label_example\.com_tier_[0-9a-f]{10}$/), 'slash'],
          ['label_pod-template-hash', 'h'],
        ]);
      });
    },
  },
  {
    id: 'taken',
    rule: "somebody's own ConfigMap is neither adopted nor deleted; the pod's gets a hash",
    async play(stage) {
      const user = await stage.client.create(kinds.ConfigMap, {
        metadata: stage.key('pod-web-from-meta-cfg'),
        data: { mine: '1' },
      });
      await stage.pod('web', { labels: { app: 'web' } });
      await stage.config('meta');
      await stage.ground.until(async () =>
        expect(await stage.names()).toEqual([expect.stringMatching(/^pod-web-from-meta-cfg-[0-9a-f]{10}$/)]),
      );
      await stage.respec('meta', { podSelector: { matchLabels: { app: 'none' } } });
      await stage.ground.until(async () => expect(await stage.names()).toEqual([]));
      await stage.client.delete(PodConfigMapConfigs, stage.key('meta'));
      await stage.client.delete(kinds.Pod, stage.key('web'));
      await stage.ground.settle();
      expect(await stage.configMap('pod-web-from-meta-cfg')).toEqual(user);
    },
  },
  {
    id: 'conflict',
    rule: 'where both names are taken the status says NameConflict, until one is free',
    async play(stage) {
      const { hashedName } = await import('../../../packages/operator/src/podconfig/names.ts');
      const names = ['pod-web-from-meta-cfg', hashedName('web', 'meta')];
      for (const name of names)
        await stage.client.create(kinds.ConfigMap, { metadata: stage.key(name), data: { mine: '1' } });
      await stage.pod('web');
      await stage.pod('other');
      await stage.config('meta');
      await stage.ground.until(async () => {
        const { conditions, observedGeneration } = await stage.status('meta');
        expect(conditions).toMatchObject([
          {
            type: 'Ready',
            status: 'False',
            reason: 'NameConflict',
            message: expect.stringContaining(names[1] ?? ''),
          },
          { type: 'Stalled', status: 'True', reason: 'NameConflict' },
        ]);
        expect(observedGeneration).toBeUndefined();
      });
      expect(await stage.names()).toEqual(['pod-other-from-meta-cfg']);
      await stage.client.delete(kinds.ConfigMap, stage.key('pod-web-from-meta-cfg'));
      await stage.relabel('web', { x: '1' });
      await stage.ground.until(async () => {
        expect(await stage.names()).toEqual(['pod-other-from-meta-cfg', 'pod-web-from-meta-cfg']);
        expect(await stage.status('meta')).toMatchObject({
          observedGeneration: 1,
          conditions: [{ status: 'True', reason: 'Synced' }],
        });
      });
    },
  },
];
