import type { Cached, Informer, InformerEvent, KindKey } from '@reloader/runtime';
import { expect, test } from 'vitest';
import { requests } from './requests.ts';

const web: KindKey = { kind: 'Deployment', namespace: 'shop', name: 'web' };

function attached(before: () => Promise<void>) {
  let tell: (event: InformerEvent<Cached>) => void = () => undefined;
  const informer = {
    type: { kind: 'Secret', plural: 'secrets', group: '' },
    addHandler: (handler: typeof tell) => {
      tell = handler;
      return { synced: true, remove: () => undefined };
    },
  } as unknown as Informer<Cached>;
  const [asked, reported]: [KindKey[], unknown[]] = [[], []];
  requests({ informer, required: false, when: () => true, keys: () => [web], before }).attach({
    enqueue: (key) => void asked.push(key),
    report: (error) => void reported.push(error),
  } as Parameters<ReturnType<typeof requests>['attach']>[0]);
  const metadata = { namespace: 'shop', name: 'db', uid: 'u', resourceVersion: '1' };
  tell({ type: 'delete', object: { metadata } } as InformerEvent<Cached>);
  return { asked, reported };
}

test('a question to the API server that fails is reported, and the workloads are looked at all the same', async () => {
  const failure = new Error('no answer');
  const { asked, reported } = attached(() => Promise.reject(failure));
  await new Promise((resolve) => setImmediate(resolve));
  expect([asked, reported]).toEqual([[web], [failure]]);
});
