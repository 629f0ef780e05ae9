/** The examples of docs/scheduling.md, unchanged. */
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Ref } from '../reloader/chronicle.ts';
import { playVirtually } from '../reloader/play-virtually.ts';
import { scenario } from '../reloader/scenario.ts';
import { own, type Scene } from '../reloader/scene.ts';
import { blocksOf, read } from './blocks.ts';

interface Config {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
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

/** The shop of the page; each of its workloads uses all sources. */
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

/** Gives our Namespace this annotation, with the value on the page. */
async function annotateAs(s: Scene, name: string): Promise<void> {
  const full = own(name);
  const found = documents.find(({ kind, metadata }) => kind === 'Namespace' && metadata.annotations?.[full]);
  expect(found, `the page has a Namespace with ${full}`).toBeDefined();
  const { annotations = {} } = found?.metadata ?? {};
  await s.merge({ kind: 'Namespace', namespace: '', name: s.namespace }, { metadata: { annotations } });
}

playVirtually('docs/scheduling.md', [
  scenario('windows: a change waits for two in the morning of a weekday in Berlin', async (s) => {
    await s.secret('db', { password: 'one' });
    const web = await s.deployment('web', { uses: [{ secret: 'db' }] });
    const config = await configOf(s, 'shop');
    await s.operator();
    await s.adopted(web);
    await s.secret('db', { password: 'two' });
    await s.stage.until('it to wait', () => s.status(config).targetStatus?.[0]?.deferredReason === 'window');
    // The clock of these tests starts on a Tuesday at midnight UTC: an hour before.
    expect(s.status(config).targetStatus?.[0]?.deferredUntil).toBe('2030-01-01T01:00:00Z');
    await s.stage.quiet(Date.parse('2030-01-01T00:59:59Z') - s.stage.now());
    expect(s.rollouts(web)).toBe(0);
    await s.rolled([web, 1]);
  }),

  scenario('approval: payments waits for it, reports does not', async (s) => {
    await s.secret('payments', { key: 'one' });
    const uses = [{ secret: 'payments' }] as const;
    const payments = await s.deployment('payments', { uses });
    const reports = await s.deployment('reports', { uses });
    const config = await configOf(s, 'payments');
    await s.operator();
    await s.adopted(payments, reports);
    await s.secret('payments', { key: 'two' });
    await s.rolled([payments, 0], [reports, 1]);
    const waiting = s.status(config).targetStatus?.find(({ name }) => name === 'payments');
    expect(waiting).toMatchObject({
      deferredReason: 'approval',
      change: expect.stringMatching(/^[a-z2-9]{10}$/),
    });
    await s.annotate(payments, { approve: waiting?.change ?? '' });
    await s.rolled([payments, 1], [reports, 1]);
  }),

  scenario('a rate: twenty at once, then six an hour', async (s) => {
    await s.secret('tls', { key: '0' });
    const gateway = await s.deployment('gateway', { uses: [{ secret: 'tls' }] });
    const config = await configOf(s, 'certificates');
    await s.operator({ args: ['--settle=0s'] });
    await s.adopted(gateway);
    for (let change = 1; change <= 40; change += 1) {
      await s.secret('tls', { key: String(change) });
      await s.stage.quiet(3_000);
    }
    await s.conditionIs(config, 'RateLimited', 'True', '6 an hour after 20 at once');
    expect(s.rollouts(gateway)).toBe(20);
    expect(s.events(gateway).filter(({ reason }) => reason === 'ReloadRateLimited')).toHaveLength(1);
    await s.stage.quiet(10 * MINUTES);
    expect(s.rollouts(gateway)).toBe(21);
  }),

  scenario('budgets: two of three targets at a time', async (s) => {
    await s.configMap('front', { mode: 'one' });
    const slow = { 'minicluster.dev/behaviour': '{"readyMs":20000}' };
    const options = { uses: [{ configMap: 'front' }], templateAnnotations: slow } as const;
    const web = await s.deployment('web', options);
    const api = await s.deployment('api', options);
    const cart = await s.workload('StatefulSet', 'cart', options);
    await configOf(s, 'shop-front');
    await annotateAs(s, 'max-concurrent');
    await s.operator();
    await s.adopted(web, api, cart);
    await s.configMap('front', { mode: 'two' });
    await s.stage.quiet(10_000);
    const begun = [web, api, cart].map((ref) => s.rollouts(ref));
    expect(begun.reduce((sum, count) => sum + count)).toBe(2);
    await s.stage.quiet(2 * MINUTES);
    await s.rolled([web, 1], [api, 1], [cart, 1]);
  }),

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
