/** The examples of docs/scheduling.md as they stand there: waves, a canary and a condition. */
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Ref } from '../reloader/chronicle.ts';
import { playVirtually } from '../reloader/play-virtually.ts';
import { scenario } from '../reloader/scenario.ts';
import type { Scene } from '../reloader/scene.ts';
import { blocksOf, read } from './blocks.ts';

interface Config {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: object;
}

const documents = blocksOf(read('docs/scheduling.md'))
  .filter(({ language }) => language === 'yaml')
  .flatMap(({ text }) => parseAllDocuments(text).map((document) => document.toJS() as Config));

async function configOf(s: Scene, name: string): Promise<Ref> {
  const found = documents.find(({ kind, metadata }) => kind === 'ReloaderConfig' && metadata.name === name);
  expect(found, `the page has ${name}`).toBeDefined();
  return s.config(name, found?.spec ?? {});
}

/** The shop of the page; each of its workloads reads all sources. */
async function shop(s: Scene): Promise<{ cart: Ref; api: Ref; web: Ref }> {
  for (const name of ['shared', 'limits']) await s.configMap(name, { value: 'one' });
  await s.secret('gateway', { token: 'one' });
  const uses = [{ configMap: 'shared' }, { configMap: 'limits' }, { secret: 'gateway' }] as const;
  const cart = await s.workload('StatefulSet', 'cart', { uses });
  const api = await s.deployment('api', { uses });
  const web = await s.deployment('web', { uses });
  return { cart, api, web };
}

const MINUTES = 60_000;

playVirtually('docs/scheduling.md', [
  scenario('waves: cart, then api, then web', async (s) => {
    const { cart, api, web } = await shop(s);
    await configOf(s, 'shop-in-order');
    await s.operator();
    await s.adopted(cart, api, web);
    await s.configMap('shared', { value: 'two' });
    for (const [index, ref] of [cart, api, web].entries()) {
      await s.stage.until(`the rollout of ${ref.name}`, () => s.rollouts(ref) === 1, 5 * MINUTES);
      const began = [cart, api, web].map((each) => s.rollouts(each));
      expect(began).toEqual([1, index > 0 ? 1 : 0, index > 1 ? 1 : 0]);
    }
    await s.rolled([cart, 1], [api, 1], [web, 1]);
  }),

  scenario('a canary: one, then half of them, then all', async (s) => {
    const { cart, api, web } = await shop(s);
    await configOf(s, 'shop-carefully');
    await s.operator();
    await s.adopted(cart, api, web);
    await s.configMap('limits', { value: 'two' });
    const began = (): number[] => [api, cart, web].map((ref) => s.rollouts(ref));
    await s.stage.until('the first', () => began()[0] === 1);
    await s.stage.quiet(10 * MINUTES);
    expect(began()).toEqual([1, 0, 0]);
    await s.stage.until('the second', () => began()[1] === 1, 5 * MINUTES);
    await s.stage.quiet(10 * MINUTES);
    expect(began()).toEqual([1, 1, 0]);
    await s.stage.until('the third', () => began()[2] === 1, 5 * MINUTES);
    await s.rolled([cart, 1], [api, 1], [web, 1]);
  }),

  scenario('a condition: labels let the change through', async (s) => {
    const { cart, api, web } = await shop(s);
    await configOf(s, 'shop-when-released');
    await s.operator();
    await s.adopted(api, web);
    await s.secret('gateway', { token: 'two' });
    await s.rolled([cart, 0], [api, 0], [web, 0]);
    await s.merge(api, { metadata: { labels: { tier: 'back' } } });
    await s.rolled([cart, 0], [api, 1], [web, 0]);
    const secret = { kind: 'Secret', namespace: s.namespace, name: 'gateway' };
    await s.merge(secret, { metadata: { labels: { stage: 'released' } } });
    await s.rolled([cart, 0], [api, 1], [web, 1]);
  }),
]);
