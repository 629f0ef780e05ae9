/** Gates and `restart`: an eviction that has begun is finished for its own content, and opens no gate for another. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';

const uses = [{ secret: 'db' }] as const;
const restart = { auto: 'true', 'rollout-strategy': 'restart' };

const podsOf = (s: Scene, { name, namespace }: Ref): string[] =>
  s.stage.chronicle
    .all('Pod', namespace)
    .filter(({ metadata }) => metadata.labels?.app === name && metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
    .sort();

async function evictionsAllowed(s: Scene, { name, namespace }: Ref, allowed: number): Promise<void> {
  const spec = { maxUnavailable: allowed, selector: { matchLabels: { app: name } } };
  const key = { namespace, name };
  if (allowed === 0) await s.stage.client.create(kinds.PodDisruptionBudget, { metadata: key, spec });
  else await s.stage.client.patch(kinds.PodDisruptionBudget, key, { type: 'merge', body: { spec } });
}

/** A change of its Secret begins an eviction that its budget stops. */
async function stopped(s: Scene, annotations: Readonly<Record<string, string>> = {}): Promise<Ref> {
  await s.secret('db', { password: 'one' });
  const web = await s.deployment('web', { annotations: { ...restart, ...annotations }, uses, replicas: 2 });
  await evictionsAllowed(s, web, 0);
  await s.operator();
  await s.adopted(web);
  await s.secret('db', { password: 'two' });
  return web;
}

const blocked = (s: Scene, web: Ref): Promise<void> =>
  s.stage.until('the eviction to begin', () =>
    s.events(web).some((each) => each.reason === 'EvictionBlocked'),
  );

async function waitsForApproval(s: Scene, web: Ref, not = ''): Promise<string> {
  const id = (): string | undefined =>
    s
      .events(web)
      .flatMap(({ message }) => /--change (\w+)/.exec(message)?.[1] ?? [])
      .find((each) => each !== not);
  await s.stage.until('a change to wait for approval', () => id() !== undefined);
  return id() ?? '';
}

export const evicting = [
  scenario('gates: other content during an eviction needs its own approval', async (s) => {
    const web = await stopped(s, { approval: 'required' });
    const first = await waitsForApproval(s, web);
    await s.annotate(web, { approve: first });
    await blocked(s, web);
    const before = podsOf(s, web);
    await s.secret('db', { password: 'three' });
    const second = await waitsForApproval(s, web, first);
    await evictionsAllowed(s, web, 1);
    await s.stage.quiet();
    expect(podsOf(s, web), 'nobody approved the second change').toEqual(before);
    await s.annotate(web, { approve: second });
    await s.stage.until('new pods', () => podsOf(s, web).every((name) => !before.includes(name)), 120_000);
    await s.rolled([web, 0]);
  }),

  scenario(
    'gates: an eviction for a change that was taken back opens no gate for the next one',
    async (s) => {
      const web = await stopped(s);
      await blocked(s, web);
      await s.secret('db', { password: 'one' });
      await s.stage.quiet();
      await s.annotate(web, { approval: 'required' });
      await evictionsAllowed(s, web, 1);
      await s.stage.quiet();
      const before = podsOf(s, web);
      await s.secret('db', { password: 'three' });
      const id = await waitsForApproval(s, web);
      await s.stage.quiet();
      expect(podsOf(s, web)).toEqual(before);
      await s.annotate(web, { approve: id });
      await s.stage.until('new pods', () => podsOf(s, web).every((name) => !before.includes(name)), 120_000);
      await s.rolled([web, 0]);
    },
  ),

  scenario('a change that comes again after it was taken back reaches pods from in between', async (s) => {
    const web = await stopped(s);
    await blocked(s, web);
    await s.secret('db', { password: 'one' });
    await s.stage.quiet();
    const [lost = ''] = podsOf(s, web);
    await s.remove('Pod', lost);
    await s.stage.until(
      'its replacement',
      () => podsOf(s, web).length === 2 && !podsOf(s, web).includes(lost),
    );
    await s.running(web);
    await s.stage.quiet();
    const before = podsOf(s, web);
    await evictionsAllowed(s, web, 1);
    await s.secret('db', { password: 'two' });
    await s.stage.until('the reload', () => s.record(web)?.seq === 1, 120_000);
    await s.stage.quiet();
    expect(podsOf(s, web).filter((name) => before.includes(name))).toEqual([]);
  }),
];
