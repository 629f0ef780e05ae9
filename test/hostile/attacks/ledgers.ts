/** Forged ledgers: with other uids and configs, of future versions, far too large, or no ledgers at all. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import {
  type Receiver,
  startReceiver,
} from '../../../packages/operator/src/alerts/delivery/receiver.test.support.ts';
import { ReloaderConfigs } from '../../../packages/operator/src/crds/reloader-config.ts';
import { FIXED_ANNOTATIONS } from '../../../packages/operator/src/reloader/model/annotations.ts';
import { poll } from '../../control-plane/poll.ts';
import { workload } from '../../reloader/objects.ts';
import type { Attack, Ground } from '../harness.ts';

const PATIENCE_MS = 60_000;

type Forgery = (ledger: { readonly uid: string; readonly shop: string; readonly now: number }) => unknown;

const sound = { v: 1, seq: 3, s: { 'secret/bomb': 'AAAAAAAAAAAAAAAAAAAAAA' } };
const naming = ({ uid, shop, now }: Parameters<Forgery>[0], seq: number): object => {
  const recent = [1, 2, 3].map((n) => ({ n, at: now - 5, c: [`${shop}/legit`], s: ['secret/bomb'] }));
  return { ...sound, seq, uid, t: now - 5, at: now - 5, recent };
};

const FORGERIES: Readonly<Record<string, Forgery>> = {
  'another-config': (about) => naming(about, 3),
  'another-uid': (about) => ({ ...naming(about, 3), uid: '00000000-0000-0000-0000-000000000000' }),
  'newer-version': (about) => ({ ...naming(about, 3), v: 99 }),
  'unknown-fields': (about) => ({ ...naming(about, 3), admin: true, configs: ['*'], __proto__x: {} }),
  'seq-beyond': (about) => naming(about, 2 ** 31 + 1),
  'seq-unsafe': (about) => naming(about, 2 ** 53),
  'seq-negative': (about) => naming(about, -1),
  'future-time': ({ uid, now }) => ({ ...sound, uid, t: now * 1000, at: now * 1000, ps: now * 1000 }),
  'many-recent': (about) => ({
    ...naming(about, 3),
    recent: Array.from({ length: 3000 }, (_, n) => ({ n, at: about.now - 5, c: [`${about.shop}/legit`] })),
  }),
  'many-sources': ({ uid, now }) => ({
    ...{ ...sound, uid, t: now },
    s: Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`secret/other-${n}`, 'AAAAAAAA'])),
  }),
  'others-sources': ({ uid, shop, now }) => ({
    ...{ ...sound, uid, t: now },
    s: { [`secret/${shop}/credentials`]: 'AAAA', 'secret/kube-system/token': 'AAAA' },
  }),
  'no-json': () => `{"v":1,${'['.repeat(100_000)}`,
  deep: () => `{"v":1,"s":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
  huge: ({ uid, now }) => ({ ...sound, uid, t: now, padding: 'x'.repeat(240_000) }),
};

export function forgedLedgers(): Attack {
  let receiver: Receiver;
  return {
    title: `${Object.keys(FORGERIES).length} forged ledgers`,
    flags: ['--alert-group-window=0s', '--alert-allow-internal'],
    async prepare(ground) {
      receiver = await startReceiver();
      await legitimate(ground, receiver.url.href);
      const { client } = ground;
      const evil = await ground.namespace('evil');
      await client.create(kinds.Secret, {
        metadata: { namespace: evil, name: 'bomb' },
        stringData: { key: 'one' },
      });
      for (const [name, forge] of Object.entries(FORGERIES)) {
        const options = { annotations: { auto: 'true' }, uses: [{ secret: 'bomb' }] };
        const { metadata } = await client.create(
          kinds.Deployment,
          workload('Deployment', name, evil, options),
        );
        const about = { uid: metadata.uid, shop: ground.nameOf('shop'), now: Math.floor(Date.now() / 1000) };
        const forged = forge(about);
        const ledger = typeof forged === 'string' ? forged : JSON.stringify(forged);
        const body = { metadata: { annotations: { [FIXED_ANNOTATIONS.ledger]: ledger } } };
        await client.patch(kinds.Deployment, { namespace: evil, name }, { type: 'merge', body });
      }
      // `huge` is the largest that can be written: all annotations of an object together have at most 256 KiB.
      const body = { metadata: { annotations: { [FIXED_ANNOTATIONS.ledger]: 'x'.repeat(1_000_000) } } };
      const write = client.patch(
        kinds.Deployment,
        { namespace: evil, name: 'huge' },
        { type: 'merge', body },
      );
      await expect(write).rejects.toThrow('Too long');
    },
    async strike({ client, nameOf }) {
      const evil = nameOf('evil');
      const key = { namespace: evil, name: 'bomb' };
      await client.patch(kinds.Secret, key, { type: 'merge', body: { stringData: { key: 'two' } } });
      // A forged ledger that can be read, or that counts as none (another uid, no JSON), does not prevent the rollout.
      const rolled = async (name: string): Promise<boolean> => {
        const live = await client.get(kinds.Deployment, { namespace: evil, name });
        return JSON.stringify((live as { spec?: object }).spec).includes('STAKATER_BOMB_SECRET');
      };
      for (const name of ['another-uid', 'unknown-fields', 'seq-beyond', 'no-json'])
        await poll(() => rolled(name), { what: `the rollout of ${name}`, timeout: PATIENCE_MS });
    },
    async judge({ client, nameOf }) {
      expect(receiver.received, 'what the channel of another tenant was told').toEqual([]);
      const legit = await client.get(ReloaderConfigs, { namespace: nameOf('shop'), name: 'legit' });
      const { reloadCount = 0 } = (legit.status ?? {}) as { reloadCount?: number };
      expect(reloadCount, 'reloads that another tenant is said to have asked for').toBe(0);
    },
  };
}

/** The tenant whose channel and counts the attacker targets. */
async function legitimate({ client, namespace }: Ground, url: string): Promise<void> {
  const shop = await namespace('shop');
  const metadata = { namespace: shop, name: 'credentials' };
  await client.create(kinds.Secret, { metadata, stringData: { key: 'one' } });
  await client.create(
    kinds.Deployment,
    workload('Deployment', 'web', shop, { uses: [{ secret: 'credentials' }] }),
  );
  await client.create(ReloaderConfigs, {
    metadata: { namespace: shop, name: 'legit' },
    spec: {
      watchedResources: { secrets: ['credentials'] },
      targets: [{ kind: 'Deployment', name: 'web' }],
      alerts: { slack: { url } },
    },
  });
}
