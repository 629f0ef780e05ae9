/** Each of 79 bad inputs gets its message on the right object, and harms nothing else. */
import { kinds } from '@reloader/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BAD_INPUTS } from './bad-inputs.ts';
import { Scene } from './scene.ts';

const NAMESPACE = 'shop';
const named = BAD_INPUTS.map((input, index) => ({
  ...input,
  object: {
    ...input.object,
    metadata: { ...input.object.metadata, namespace: NAMESPACE, name: `bad-${index}` },
  },
}));
let scene: Scene;
const refusals = new Map<string, unknown>();

beforeAll(async () => {
  scene = await Scene.set();
  const { client } = scene.stage;
  await client.create(kinds.Namespace, { metadata: { name: NAMESPACE } });
  await client.create(kinds.Secret, { metadata: { namespace: NAMESPACE, name: 'db' } });
  const web = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: NAMESPACE, name: 'web' } };
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'w', image: 'nginx' }] },
  };
  await scene.apply({ ...web, spec: { selector: { matchLabels: { app: 'web' } }, template } } as never);
  for (const { object } of named) {
    const type = await scene.typeOf(object);
    await client.create(type, object, { fieldValidation: 'Strict' }).then(
      () => refusals.delete(object.metadata.name),
      (error: unknown) => refusals.set(object.metadata.name, error),
    );
  }
  await scene.operate();
}, 60_000);
afterAll(() => scene.stage.close());

test('there are 79', () => {
  expect(BAD_INPUTS).toHaveLength(79);
});

describe('refused when it is applied', () => {
  test.each(named.filter(({ refused }) => refused))('$object.kind: $what', ({ object, refused }) => {
    expect(String(refusals.get(object.metadata.name))).toMatch(refused as RegExp);
  });
});

describe('told in a condition', () => {
  test.each(named.filter(({ told }) => told))('$object.kind: $what', async ({ object, told }) => {
    expect(refusals.get(object.metadata.name)).toBeUndefined();
    const { status } = await scene.live(object);
    const conditions = (status?.conditions ?? []).map(({ reason, message }) => `${reason}: ${message}`);
    expect(conditions.join('\n')).toMatch(told as RegExp);
  });
});

describe('told by an Event', () => {
  test.each(named.filter(({ event }) => event))('$object.kind: $what', async ({ object, event }) => {
    const events = await scene.events(object);
    expect(events.filter((line) => line.startsWith('Warning')).join('\n')).toMatch(event as RegExp);
  });
});

test('nothing of it harms what is right', async () => {
  const good = {
    apiVersion: 'reloader.stakater.com/v1alpha1',
    kind: 'ReloaderConfig',
    metadata: { namespace: NAMESPACE, name: 'good' },
    spec: { watchedResources: { secrets: ['db'] }, targets: [{ kind: 'Deployment', name: 'web' }] },
  };
  await scene.apply(good as never);
  await scene.stage.clock.advance(5_000);
  const { status } = await scene.live(good);
  expect(status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
});
