import { kinds } from '@reloader/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GENERATED_BY, PodConfigMapConfigs } from './model.ts';
import { NAMESPACE, openStage, type StartOptions } from './stage.test.support.ts';

type Stage = Awaited<ReturnType<typeof openStage>>;
let stage: Stage;
let controller: ReturnType<Stage['start']> | undefined;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(async () => {
  await controller?.stop();
  await stage.close();
});

const SHOP = 'shop';
const namespaces = [NAMESPACE, SHOP];

async function restart(options: StartOptions): Promise<void> {
  await controller?.stop();
  controller = stage.start(options);
  await stage.rest();
}

async function generatedIn(namespace: string): Promise<string[]> {
  const { items } = await stage.client.list(kinds.ConfigMap, { namespace, labelSelector: GENERATED_BY });
  return items.map(({ metadata }) => metadata.name);
}

describe('Without the right to delete ConfigMaps', () => {
  it('a config says so while one is left over, and heals', async () => {
    let verbs = ['delete'];
    await stage.pod('web', { app: 'web' });
    await stage.config('about', { podSelector: { matchLabels: { app: 'web' } } });
    await restart({ forbiddenWrites: () => verbs });
    expect(await stage.names()).toEqual(['pod-web-from-about-cfg']);
    const body = { metadata: { labels: { app: 'other' } } };
    await stage.client.patch(kinds.Pod, { namespace: NAMESPACE, name: 'web' }, { type: 'merge', body });
    await stage.rest();
    expect(await stage.status('about')).toMatchObject({
      matchedPods: 0,
      managedConfigMaps: 1,
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'Forbidden',
          message: expect.stringMatching(/^ConfigMap pod-web-from-about-cfg cannot be deleted: /),
        },
        { type: 'Stalled', status: 'True' },
      ],
    });
    verbs = [];
    await stage.clock.advance(60_000);
    expect(await stage.names()).toEqual([]);
    expect(await stage.status('about')).toMatchObject({
      matchedPods: 0,
      managedConfigMaps: 0,
      conditions: [{ type: 'Ready', status: 'True' }],
    });
  });
});

describe('A namespace whose configs may not be read', () => {
  it('keeps its ConfigMaps, and what was deleted meanwhile is found once it may be read', async () => {
    const metadata = { namespace: SHOP, name: 'web' };
    await stage.client.create(kinds.Namespace, { metadata: { name: SHOP } });
    await stage.client.create(kinds.Pod, { metadata, spec: { containers: [{ name: 'app', image: 'a' }] } });
    const config = { namespace: SHOP, name: 'about' };
    await stage.client.create(PodConfigMapConfigs, { metadata: config, spec: {} });
    await restart({ namespaces });
    expect(await generatedIn(SHOP)).toEqual(['pod-web-from-about-cfg']);

    let isForbidden = true;
    const forbidden = (path: string): boolean =>
      isForbidden && path.includes(`/namespaces/${SHOP}/podconfigmapconfigs`);
    await restart({ namespaces, forbidden });
    expect(await generatedIn(SHOP)).toEqual(['pod-web-from-about-cfg']);

    await stage.client.delete(PodConfigMapConfigs, config);
    isForbidden = false;
    await stage.clock.advance(120_000);
    expect(await generatedIn(SHOP)).toEqual([]);
  });
});
