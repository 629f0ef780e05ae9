/** The operator's own state, forged by an attacker before the operator starts: digest key, meta info and notes. */
import { type KubernetesObject, kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import { poll } from '../../control-plane/poll.ts';
import { workload } from '../../reloader/objects.ts';
import type { Attack, Ground } from '../harness.ts';

const KNOWN_KEY = Buffer.alloc(32, 0x41).toString('base64');
const WORKLOADS = ['one', 'two', 'three'];
const PATIENCE_MS = 30_000;

/** A ledger made with another key: its digests cannot be compared, and nothing may restart because of that. */
export const FORGED_STATE: Attack = {
  title: 'a forged digest key, forged meta info and forged notes',
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
    for (const [index, data] of forgedNotes().entries()) {
      const metadata = {
        namespace: own,
        // Also for a namespace that does not exist, and with a number far beyond the last ConfigMap.
        name: `reloader-notes-${index < 2 ? namespace : 'nowhere'}.${index === 1 ? 999_999 : index}`,
        labels: { 'reloader.stakater.com/notes': 'true' },
      };
      await client.create(kinds.ConfigMap, { metadata, data });
    }
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

/** Forged notes for each workload: unreadable, deeply nested, of a newer version, or with the highest number. */
function forgedNotes(): Record<string, string>[] {
  const [first = '', second = '', third = ''] = WORKLOADS.map((name) => `Deployment.${name}`);
  const record = { v: 1, uid: '00000000-0000-0000-0000-000000000000', seq: 2 ** 40, t: 0, s: {} };
  return [
    {
      [first]: `{"n":1,"b":"-","r":${'['.repeat(100_000)}`,
      [second]: JSON.stringify({ n: 2 ** 60, b: '-', r: record }),
      [third]: JSON.stringify({ n: 1, b: '-', r: { ...record, v: 99 } }),
      Deployment: 'null',
      'Foo.bar': '{}',
      'constructor.x': '{}',
      '__proto__.x': '{"w":"x"}',
    },
    JSON.parse(`{"__proto__":"{}","constructor":"[]",${JSON.stringify(first)}:"1e999"}`) as Record<
      string,
      string
    >,
    { [first]: 'x'.repeat(900_000) },
    Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`Deployment.n${index}`, '{"n":1,"b":""}']),
    ),
  ];
}

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
