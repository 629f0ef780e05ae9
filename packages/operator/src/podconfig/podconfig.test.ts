import { kinds } from '@reloader/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PodConfigMapConfigs } from './model.ts';
import { NAMESPACE, openStage } from './stage.test.support.ts';

type Stage = Awaited<ReturnType<typeof openStage>>;
let stage: Stage;
let controller: ReturnType<Stage['start']>;
beforeEach(async () => {
  stage = await openStage();
  controller = stage.start();
});
afterEach(async () => {
  await controller.stop();
  await stage.close();
});

const key = (name: string) => ({ namespace: NAMESPACE, name });

describe('A selected pod', () => {
  it('gets a ConfigMap with its metadata, its labels and itself as owner', async () => {
    const pod = await stage.pod('web', { app: 'shop', 'app.kubernetes.io/name': 'web' }, { build: '7' });
    await stage.config('meta', {
      podSelector: { matchLabels: { app: 'shop' } },
      labelsToInclude: ['app', 'app.kubernetes.io/name', 'absent'],
      annotationsToInclude: ['build'],
      configMapDataTemplate: { line: '{{ .metadata.name }} runs {{ (index .spec.containers 0).image }}' },
    });
    await stage.rest();
    const [configMap] = await stage.generated();
    expect(configMap?.metadata.name).toBe('pod-web-from-meta-cfg');
    expect(configMap?.data).toEqual({
      podName: 'web',
      namespace: NAMESPACE,
      nodeName: '',
      phase: 'Pending',
      pcmcName: 'meta',
      label_app: 'shop',
      'label_app.kubernetes.io_name': 'web',
      annotation_build: '7',
      line: 'web runs nginx:1',
    });
    expect(configMap?.metadata.labels).toEqual({
      'podconfig.example.com/generated-by-pcmc': 'meta',
      'podconfig.example.com/pod-uid': pod.metadata.uid,
    });
    expect(configMap?.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Pod',
        name: 'web',
        uid: pod.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(await stage.status('meta')).toMatchObject({
      observedGeneration: 1,
      matchedPods: 1,
      managedConfigMaps: 1,
      conditions: [{ type: 'Ready', status: 'True', reason: 'Synced' }],
    });
  });

  it('loses it when it is not selected any more', async () => {
    await stage.pod('web', { app: 'shop' });
    await stage.pod('other', { app: 'other' });
    await stage.config('meta', { podSelector: { matchLabels: { app: 'shop' } } });
    await stage.rest();
    expect(await stage.names()).toEqual(['pod-web-from-meta-cfg']);
    await stage.client.patch(kinds.Pod, key('web'), {
      type: 'merge',
      body: { metadata: { labels: { app: 'else' } } },
    });
    await stage.rest();
    expect(await stage.names()).toEqual([]);
    await stage.client.patch(PodConfigMapConfigs, key('meta'), {
      type: 'merge',
      body: { spec: { podSelector: null } },
    });
    await stage.rest();
    expect(await stage.names()).toEqual(['pod-other-from-meta-cfg', 'pod-web-from-meta-cfg']);
  });
});

describe('A generated ConfigMap', () => {
  beforeEach(async () => {
    await stage.pod('web');
    await stage.config('meta');
    await stage.rest();
  });

  it('that was edited is right again', async () => {
    await stage.client.patch(kinds.ConfigMap, key('pod-web-from-meta-cfg'), {
      type: 'merge',
      body: { data: { phase: 'Mine', more: 'x' } },
    });
    await stage.rest();
    const [configMap] = await stage.generated();
    expect(configMap?.data).toMatchObject({ phase: 'Pending' });
    expect(configMap?.data).not.toHaveProperty('more');
  });

  it('that was deleted comes back', async () => {
    await stage.client.delete(kinds.ConfigMap, key('pod-web-from-meta-cfg'));
    await stage.rest();
    expect(await stage.names()).toEqual(['pod-web-from-meta-cfg']);
  });

  it('is deleted with its config, also while the operator is down', async () => {
    await controller.stop();
    await stage.client.delete(PodConfigMapConfigs, key('meta'));
    controller = stage.start();
    await stage.rest();
    expect(await stage.names()).toEqual([]);
  });

  it('costs no request while it is up to date', async () => {
    controller.recording.takeWrites();
    await stage.client.patch(kinds.Pod, key('web'), {
      type: 'merge',
      body: { metadata: { annotations: { unseen: '1' } } },
    });
    await stage.rest();
    expect(controller.recording.takeWrites()).toEqual([]);
  });
});

describe('What is not ours', () => {
  it('keeps its name and its content, and the pod gets another name', async () => {
    const user = await stage.client.create(kinds.ConfigMap, {
      metadata: key('pod-web-from-meta-cfg'),
      data: { mine: '1' },
    });
    await stage.pod('web');
    await stage.config('meta');
    await stage.rest();
    const [name] = await stage.names();
    expect(name).toMatch(/^pod-web-from-meta-cfg-[0-9a-f]{10}$/);
    expect(await stage.client.get(kinds.ConfigMap, key('pod-web-from-meta-cfg'))).toEqual(user);
    await stage.client.delete(PodConfigMapConfigs, key('meta'));
    await stage.rest();
    expect(await stage.client.get(kinds.ConfigMap, key('pod-web-from-meta-cfg'))).toEqual(user);
  });
});

describe('Two pairs that would share a name', () => {
  it('have one each', async () => {
    await stage.pod('a');
    await stage.config('b-from-c');
    await stage.rest();
    await stage.pod('a-from-b');
    await stage.config('c');
    await stage.rest();
    const names = await stage.names();
    expect(names).toHaveLength(4);
    const both = (await stage.generated()).map(({ data }) => `${data?.podName} ${data?.pcmcName}`);
    expect(both.sort()).toEqual(['a b-from-c', 'a c', 'a-from-b b-from-c', 'a-from-b c']);
  });
});

describe('A config that cannot be used', () => {
  it.each([
    ['ErrorInPodSelector', { podSelector: { matchLabels: { 'not a label': 'x' } } }],
    ['InvalidTemplate', { configMapDataTemplate: { line: '{{ .metadata.name' } }],
    ['InvalidTemplate', { configMapDataTemplate: { line: '{{ .metadata.name.deeper }}' } }],
    ['InvalidTemplate', { configMapDataTemplate: { line: '{{ .metadat.name }}' } }],
    ['InvalidTemplate', { configMapDataTemplate: { podName: 'x' } }],
    ['InvalidTemplate', { configMapDataTemplate: { '..data': 'x' } }],
  ])('says %s, harms nothing, and heals', async (reason, spec) => {
    await stage.pod('web');
    await stage.config('good');
    await stage.config('bad', spec);
    await stage.rest();
    expect(await stage.names()).toEqual(['pod-web-from-good-cfg']);
    const status = await stage.status('bad');
    expect(status.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason },
      { type: 'Stalled', status: 'True', reason },
    ]);
    expect(status.observedGeneration).toBeUndefined();
    const body = { spec: { podSelector: null, configMapDataTemplate: null } };
    await stage.client.patch(PodConfigMapConfigs, key('bad'), { type: 'merge', body });
    await stage.rest();
    expect(await stage.names()).toEqual(['pod-web-from-bad-cfg', 'pod-web-from-good-cfg']);
    expect(await stage.status('bad')).toMatchObject({
      observedGeneration: 2,
      conditions: [{ status: 'True' }],
    });
  });
});
