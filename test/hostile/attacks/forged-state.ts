/** What the operator keeps for itself, written by somebody else before it starts: its digest key and its meta info. */
import { type KubernetesObject, kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import { poll } from '../../control-plane/poll.ts';
import { workload } from '../../reloader/objects.ts';
import type { Attack, Ground } from '../harness.ts';

const KNOWN_KEY = Buffer.alloc(32, 0x41).toString('base64');
const WORKLOADS = ['one', 'two', 'three'];
const PATIENCE_MS = 30_000;

/** A ledger that another key made: nothing of it can be compared, and nothing may restart because of that. */
export const FORGED_STATE: Attack = {
  title: 'a forged digest key and forged meta info',
  async prepare(ground) {
    const { client, nameOf } = ground;
    const own = nameOf('reloader');
    await client.create(kinds.Secret, {
      metadata: { namespace: own, name: 'reloader-digest-key' },
      data: { key: KNOWN_KEY, 'previous-key': 'AAAA', more: Buffer.alloc(200_000).toString('base64') },
    });
    await client.create(kinds.ConfigMap, {
      metadata: {
        namespace: own,
        name: 'reloader-meta-info',
        labels: { 'reloader.stakater.com/meta-info': 'reloader' },
      },
      data: { buildInfo: '{', reloaderOptions: 'x'.repeat(500_000), unknown: '["__proto__"]' },
    });
    const namespace = await ground.namespace('evil');
    for (const name of WORKLOADS) {
      await client.create(kinds.Secret, { metadata: { namespace, name }, stringData: { pin: '1234' } });
      const options = { annotations: { auto: 'true' }, uses: [{ secret: name }] };
      await client.create(
        kinds.Deployment,
        withForgedLedger(workload('Deployment', name, namespace, options)),
      );
    }
  },
  async strike(ground) {
    const before = await templates(ground);
    const key = { namespace: ground.nameOf('reloader'), name: 'reloader-meta-info' };
    await poll(
      async () => {
        const { data } = await ground.client.get(kinds.ConfigMap, key);
        return data?.buildInfo?.includes('releaseVersion') === true;
      },
      { what: 'the meta info to be written anew', timeout: PATIENCE_MS },
    );
    expect(await templates(ground), 'restarted because of a forged key').toEqual(before);
  },
};

function withForgedLedger(object: KubernetesObject): KubernetesObject {
  const ledger = JSON.stringify({
    v: 1,
    uid: '00000000-0000-0000-0000-000000000000',
    seq: 5,
    t: 0,
    k: 'another0',
    s: { 'secret/one': 'x'.repeat(22) },
  });
  const { metadata } = object;
  const annotations = { ...metadata?.annotations, 'reloader.stakater.com/ledger': ledger };
  return { ...object, metadata: { ...metadata, annotations } } as KubernetesObject;
}

async function templates({ client, nameOf }: Ground): Promise<string[]> {
  const { items } = await client.list(kinds.Deployment, { namespace: nameOf('evil') });
  return items.map((each) => JSON.stringify((each as { spec?: { template?: unknown } }).spec?.template));
}
