/**
 * Many doubts from a user's view: the digest key was lost, `status` and `explain` say so, one command resolves them.
 */
import { kinds } from '@reloader/runtime';
import { expect, test } from 'vitest';
import { workload } from '../reloader/objects.ts';
import { type Play, play, secret } from './play.ts';
import type { Manifest } from './random-cluster.ts';

const MANY = 21;

/** `web` of the shop, and twenty others in two namespaces, all with Secrets that changed while no operator ran. */
async function inDoubt(): Promise<Play> {
  const played = await play();
  const { stage, change } = played;
  for (let number = 1; number < MANY; number += 1) {
    const namespace = number < 11 ? 'shop' : 'empty';
    const name = `w${number}`;
    const uses = [{ secret: name }];
    await stage.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name },
      stringData: { password: 'one' },
    } as Manifest);
    await stage.create(
      workload('Deployment', name, namespace, { annotations: { auto: 'true' }, uses }) as unknown as Manifest,
    );
  }
  await stage.clock.advance(30_000);
  await stage.stopOperator();
  await stage.client.delete(kinds.Secret, { namespace: 'reloader', name: 'reloader-digest-key' });
  await change('two');
  for (let number = 1; number < MANY; number += 1) {
    const key = { ...secret, namespace: number < 11 ? 'shop' : 'empty', name: `w${number}` };
    await stage.client.patch(kinds.Secret, key, {
      type: 'merge',
      body: { stringData: { password: 'two' } },
    });
  }
  await stage.clock.advance(5_000);
  await stage.startOperator();
  await stage.clock.advance(30_000);
  return played;
}

async function reloadsIn({ stage }: Play, namespace: string): Promise<number> {
  const { items } = await stage.client.list(kinds.Deployment, { namespace });
  return items.filter(({ metadata }) => (metadata.generation ?? 1) > 1).length;
}

test('approve --doubts releases what many doubts hold: of a namespace, or everywhere', async () => {
  const played = await inDoubt();
  const { command, commandWith, stage } = played;
  expect([await reloadsIn(played, 'shop'), await reloadsIn(played, 'empty')]).toEqual([0, 0]);
  const explained = await command('explain', 'deployment/web');
  expect(explained.out).toContain('by times alone more than 20 workloads would restart');
  expect(explained.out).toContain('reloader approve --doubts');
  expect((await command('status', '-A')).out).toContain('doubt');
  await stage.stopOperator();
  expect((await command('explain', 'deployment/web')).out, 'also without the operator').toContain(
    'reloader approve --doubts',
  );
  await stage.startOperator();
  await stage.clock.advance(30_000);
  expect([await reloadsIn(played, 'shop'), await reloadsIn(played, 'empty')]).toEqual([0, 0]);

  expect(await command('approve', '--doubts', 'deployment/web')).toMatchObject({
    code: 2,
    err: expect.stringContaining('give no workloads'),
  });
  const asked = await command('approve', '--doubts');
  expect(asked).toMatchObject({
    code: 2,
    err: expect.stringMatching(/21 held because of a doubt: .* and 16 more/),
  });
  const refused = await commandWith({ ask: async () => 'n' }, 'approve', '--doubts');
  expect(refused.out).toContain('Nothing was done');
  const some = await command('approve', '--doubts', '-n', 'empty', '--yes');
  expect(some.out.match(/is approved/g)).toHaveLength(10);
  await stage.clock.advance(30_000);
  expect([await reloadsIn(played, 'shop'), await reloadsIn(played, 'empty')]).toEqual([0, 10]);
  const rest = await command('approve', '--doubts', '--yes');
  expect(rest.out.match(/is approved/g)).toHaveLength(11);
  await stage.clock.advance(30_000);
  expect([await reloadsIn(played, 'shop'), await reloadsIn(played, 'empty')]).toEqual([11, 10]);
  expect((await command('approve', '--doubts')).out).toContain(
    'No workload is held because of a doubt in any namespace',
  );
});
