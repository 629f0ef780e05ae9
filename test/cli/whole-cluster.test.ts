/** Commands that act on the operator itself act on the one that is there, and never on a guess. */
import { kinds } from '@reloader/runtime';
import { describe, expect, test } from 'vitest';
import { workload } from '../reloader/objects.ts';
import { play } from './play.ts';
import type { Manifest } from './random-cluster.ts';

const FREEZE = 'reloader.stakater.com/freeze';

async function stageWith(...operators: readonly string[]) {
  const { stage, command } = await play();
  for (const namespace of operators) {
    await stage.client.create(kinds.Namespace, { metadata: { name: namespace } });
    const deployment = workload('Deployment', 'mine', namespace, {}) as { metadata: object };
    const labels = { 'app.kubernetes.io/name': 'reloader' };
    await stage.create({
      ...deployment,
      metadata: { ...deployment.metadata, labels },
    } as unknown as Manifest);
  }
  const frozen = async (): Promise<string[]> =>
    (await stage.client.list(kinds.Namespace)).items
      .filter(({ metadata }) => metadata.annotations?.[FREEZE] !== undefined)
      .map(({ metadata }) => metadata.name);
  return { stage, command, frozen };
}

describe('freeze --cluster', () => {
  test('freezes by the namespace of the only operator', async () => {
    const { command, frozen } = await stageWith('tools');
    expect((await command('freeze', '--cluster')).code).toBe(0);
    expect(await frozen()).toEqual(['tools']);
  });

  test('of an operator that cannot be seen asks for its namespace, and freezes nothing', async () => {
    const { stage, command, frozen } = await stageWith();
    await stage.client.delete(kinds.Service, { namespace: 'reloader', name: 'reloader' });
    const { code, err } = await command('freeze', '--cluster');
    expect([code, err]).toEqual([1, expect.stringContaining('name its namespace with --operator-namespace')]);
    expect(await frozen()).toEqual([]);
    expect((await command('freeze', '--cluster', '--operator-namespace', 'reloader')).code).toBe(0);
    expect(await frozen()).toEqual(['reloader']);
  });

  test('of several operators asks for one, and freezes nothing', async () => {
    const { command, frozen } = await stageWith('blue', 'green');
    const { code, err } = await command('freeze', '--cluster');
    expect(code).toBe(1);
    expect(err).toContain('There are operators in the namespaces blue, green: name one of them');
    expect(await frozen()).toEqual([]);
  });
});

test('rotate-key of several operators changes no key', async () => {
  const { command } = await stageWith('blue', 'green');
  const { code, err } = await command('rotate-key');
  expect([code, err]).toEqual([1, expect.stringContaining('name one of them with --operator-namespace')]);
});
