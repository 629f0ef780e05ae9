/** Children whose stored form differs from what an author writes: they are written once, and then left alone. */
import { startMinicluster } from '@reloader/minicluster';
import { createClient, kinds, type Operator, operator, type ResourceType } from '@reloader/runtime';
import { defineKind, Type } from '@reloader/runtime/kind';
import {
  eventually,
  installCrd,
  recordWrites,
  runOperator,
  settle,
  VirtualClock,
} from '@reloader/runtime/testing';
import { afterEach, describe, expect, test } from 'vitest';

const Box = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Box',
  plural: 'boxes',
  description: 'A box.',
  spec: Type.Object({}),
});
const key = { namespace: 'default', name: 'box' };

let end: (() => Promise<void>) | undefined;
afterEach(async () => await end?.());

async function start(declared: Operator) {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1 });
  const client = createClient({ transport: cluster.transport(), clock });
  await settle(clock, installCrd(client, Box.crd(), { clock }));
  const writes = recordWrites(client);
  const running = runOperator(declared, { client: writes.client, clock });
  end = async () => {
    await running.stop();
    await settle(clock, cluster.stop());
  };
  await settle(clock, client.create(Box, { metadata: key, spec: {} }));
  return { clock, client, writes };
}

interface Child extends kinds.PlainObject {
  stringData?: Record<string, string>;
}
const container = (more: object) => ({ name: 'app', image: 'app', ...more });
const deployment = (more: object) => (draft: Child) => {
  const labels = { app: 'box' };
  const template = { metadata: { labels }, spec: { containers: [container(more)] } };
  draft.spec = { selector: { matchLabels: labels }, template };
};

describe('a child is written once', () => {
  test.each<[string, ResourceType, (draft: Child) => void]>([
    [
      'with amounts that the server spells in another way',
      kinds.Deployment,
      deployment({ resources: { requests: { cpu: '1000m', memory: '1024Mi' } } }),
    ],
    [
      'with an empty value, which the server leaves out',
      kinds.Deployment,
      deployment({ env: [{ name: 'MODE', value: '' }] }),
    ],
    [
      'with texts that the server stores encoded',
      kinds.Secret,
      (draft) => {
        draft.stringData = { password: 'open sesame' };
      },
    ],
    [
      'and never again if its spec cannot be changed',
      kinds.Job,
      (draft) => {
        const resources = { requests: { cpu: '1000m' } };
        draft.spec = {
          template: { spec: { restartPolicy: 'Never', containers: [container({ resources })] } },
        };
      },
    ],
  ])('%s', async (_, type, fill) => {
    let passes = 0;
    const { clock, client, writes } = await start(
      operator(Box, { resyncMs: 10_000 })
        .owns(type)
        .reconcile(async ({ ensure }) => {
          passes += 1;
          await ensure(type, 'box', fill);
        }),
    );
    await eventually(clock, () => client.get(type, key));
    await clock.advance(60_000);
    writes.takeWrites();
    passes = 0;
    await clock.advance(60_000);
    expect(passes).toBeGreaterThan(4);
    expect(writes.takeWrites()).toEqual([]);
    expect((await settle(clock, client.get(Box, key))).status?.phase).toBe('Ready');
  });
});

test('a child that was written for nothing is written again when somebody changes it', async () => {
  const fill = deployment({ env: [{ name: 'MODE', value: '' }] });
  const { clock, client } = await start(
    operator(Box)
      .owns(kinds.Deployment)
      .reconcile(async ({ ensure }) => void (await ensure(kinds.Deployment, 'box', fill))),
  );
  const image = async () => {
    const { spec } = await client.get(kinds.Deployment, key);
    const { template } = spec as { template: { spec: { containers: { image: string }[] } } };
    return template.spec.containers[0]?.image;
  };
  await eventually(clock, async () => expect(await image()).toBe('app'));
  await clock.advance(60_000);
  for (const other of ['theirs', 'theirs', 'another']) {
    const operations = [
      { op: 'replace', path: '/spec/template/spec/containers/0/image', value: other },
    ] as const;
    await settle(clock, client.patch(kinds.Deployment, key, { type: 'json', operations }));
    await eventually(clock, async () => expect(await image()).toBe('app'));
    await clock.advance(60_000);
  }
});
