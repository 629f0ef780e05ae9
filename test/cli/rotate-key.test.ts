/** Replacing the digest key restarts nothing, and no change in the meantime is lost. */
import { type KubernetesObject, kinds } from '@reloader/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../../packages/operator/src/cli/command-io.test.support.ts';
import { workload } from '../reloader/objects.ts';
import { OPERATOR_NAMESPACE, Stage } from './stage.ts';

const NAMES = ['one', 'two', 'three'];
const KEY = { namespace: OPERATOR_NAMESPACE, name: 'reloader-digest-key' };

async function play(flags: readonly string[] = []) {
  const stage = await Stage.set({ seed: 7, flags, namespaces: ['shop'] });
  onTestFinished(() => stage.close());
  const { client, clock } = stage;
  for (const name of NAMES) {
    await client.create(kinds.Secret, { metadata: { name, namespace: 'shop' }, stringData: { pin: '1234' } });
    const options = { annotations: { auto: 'true' }, uses: [{ secret: name }] };
    await client.create(kinds.Deployment, workload('Deployment', name, 'shop', options));
  }
  await clock.advance(10_000);
  const change = async (name: string, pin: string) => {
    const body = { stringData: { pin } };
    await client.patch(kinds.Secret, { namespace: 'shop', name }, { type: 'merge', body });
  };
  const generations = async () => {
    const templates: Record<string, string> = {};
    for (const name of NAMES) {
      const { spec } = (await client.get(kinds.Deployment, { namespace: 'shop', name })) as { spec?: Spec };
      templates[name] = JSON.stringify(spec?.template);
    }
    return templates;
  };
  const command = (...argv: string[]) =>
    stage.drive(run([...argv, '--operator-namespace', OPERATOR_NAMESPACE], { client, clock }));
  return { stage, client, clock, change, generations, command };
}

interface Spec {
  readonly template?: unknown;
}

test('a rotation restarts nothing, and a change that is made meanwhile is rolled out', async () => {
  const { stage, clock, client, change, generations, command } = await play();
  await stage.startOperator();
  for (const name of NAMES) await change(name, '2345');
  await clock.advance(30_000);
  await stage.stopOperator();
  const before = await generations();
  const oldKey = (await client.get(kinds.Secret, KEY)).data?.key;

  const rotated = await command('rotate-key');
  expect(rotated).toMatchObject({ code: 0, err: '' });
  expect(rotated.out).toContain('kubectl rollout restart -n reloader');
  expect(rotated.out).not.toContain(oldKey);
  const { data } = await client.get(kinds.Secret, KEY);
  expect(data?.['previous-key']).toBe(oldKey);
  expect(data?.key).not.toBe(oldKey);

  await change('two', '9999');
  await stage.startOperator();
  await clock.advance(30_000);
  const after = await generations();
  expect(NAMES.filter((name) => after[name] !== before[name])).toEqual(['two']);

  expect((await command('rotate-key')).err).toContain('The last rotation is not finished');
  await stage.stopOperator();
  expect((await command('rotate-key', '--finish')).code).toBe(0);
  expect((await client.get(kinds.Secret, KEY)).data).not.toHaveProperty('previous-key');
  expect((await command('rotate-key', '--finish')).err).toContain('nothing to finish');

  await change('three', '9999');
  await stage.startOperator();
  await clock.advance(30_000);
  const last = await generations();
  expect(NAMES.filter((name) => last[name] !== after[name])).toEqual(['three']);
});

test('a key in a ConfigMap is moved to a Secret, and restarts nothing', async () => {
  const { stage, clock, client, change, generations, command } = await play();
  const old = Buffer.alloc(32, 7).toString('base64');
  const map = { metadata: KEY, data: { key: old } } as KubernetesObject;
  await client.create(kinds.ConfigMap, map);
  expect((await command('rotate-key')).code).toBe(0);
  const { data } = await client.get(kinds.Secret, KEY);
  expect(data?.['previous-key']).toBe(old);
  await stage.startOperator();
  await clock.advance(10_000);
  await change('one', '2345');
  const before = await generations();
  await clock.advance(30_000);
  expect((await generations()).two).toBe(before.two);
});

test('without a key there is nothing to rotate, and the command says where it looked', async () => {
  const { command } = await play();
  const { code, err } = await command('rotate-key');
  expect(code).toBe(1);
  expect(err).toContain('neither a Secret nor a ConfigMap reloader/reloader-digest-key');
});
