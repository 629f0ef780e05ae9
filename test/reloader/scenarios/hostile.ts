/** O8, I7 and a part of row 10: invalid input of a tenant affects only the object that it is written on. */
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';

const auto = { auto: 'true' };
const uses = [{ configMap: 'settings' }] as const;

const change = (s: Scene, mode: string, more: Record<string, string> = {}): Promise<void> =>
  s.configMap('settings', { mode, ...more });

/** A tenant without invalid input, beside those with it. */
async function neighbour(s: Scene): Promise<Ref> {
  await change(s, 'slow');
  return s.deployment('neighbour', { annotations: auto, uses });
}

async function warns(s: Scene, ref: Ref, text: string): Promise<void> {
  await s.stage
    .until(`a Warning on ${ref.name} about ${text}`, () =>
      s.events(ref).some(({ type, message }) => type === 'Warning' && message.includes(text)),
    )
    .catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(s.events(ref))}`);
    });
}

export const hostile = [
  scenario(
    'O8: an invalid expression is told where it stands; the rest of the list and everybody else go on',
    async (s) => {
      const web = await neighbour(s);
      const broken = await s.deployment('broken', {
        annotations: { 'configmap/reload': '[, settings' },
        uses,
      });
      await s.operator();
      await s.adopted(web, broken);
      await warns(s, broken, 'configmap.reloader.stakater.com/reload');
      await change(s, 'fast');
      await s.rolled([web, 1], [broken, 1]);
    },
  ),

  scenario('I3: a list of everything beside the operator: its own records restart nothing', async (s) => {
    await change(s, 'slow');
    await s.secret('app', { password: 'first' });
    const web = await s.deployment('web', {
      annotations: { 'configmap/reload': '.*', 'secret/reload': '.*' },
      uses,
    });
    await s.operator({ installation: s.stage.namespace });
    await s.adopted(web);
    // Within these times the history of a reload is written: the first makes it, the second changes it.
    await change(s, 'fast');
    await s.rolled([web, 1]);
    await s.stage.quiet(60_000, 12_000);
    await change(s, 'faster');
    await s.rolled([web, 2]);
    await s.stage.quiet(120_000, 25_000);
    await s.rolled([web, 2]);
  }),

  scenario('O8: a catastrophic expression costs nothing', async (s) => {
    const web = await neighbour(s);
    const long = `${'a'.repeat(200)}.b`;
    await s.configMap(long, { mode: 'slow' });
    const evil = await s.deployment('evil', {
      annotations: { 'configmap/reload': '(a+)+c,(a|aa)+d,(.*)*e,settings' },
    });
    const operator = await s.operator();
    await s.adopted(web, evil);
    const began = performance.now();
    await s.configMap(long, { mode: 'fast' });
    await change(s, 'fast');
    await s.rolled([web, 1], [evil, 1]);
    expect(performance.now() - began, operator.user).toBeLessThan(10_000);
  }),

  scenario(
    'O8: durations, switches and filters that mean nothing are told, and the workload still reloads',
    async (s) => {
      const web = await neighbour(s);
      const odd = await s.deployment('odd', {
        annotations: {
          ...auto,
          settle: 'soon',
          'batch-window': '-',
          'deployment/pause-period': '5 minutes',
          keys: 'some',
        },
        uses,
      });
      await s.operator();
      await s.adopted(web, odd);
      await warns(s, odd, 'settle');
      await warns(s, odd, 'batch-window');
      await warns(s, odd, 'pause-period');
      await change(s, 'fast');
      await s.rolled([web, 1], [odd, 1]);
    },
  ),

  scenario('O8: names with a special meaning in JavaScript are ordinary names', async (s) => {
    const special = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const data = (value: string): Record<string, string> =>
      Object.fromEntries(special.map((key) => [key, value]));
    await s.configMap('settings', data('one'));
    const web = await s.deployment('web', {
      annotations: { ...auto, 'example.com/constructor': 'x' },
      uses: [{ configMap: 'settings' }, { configMap: 'settings', via: 'env', key: '__proto__' }],
    });
    const precise = await s.deployment('precise', {
      annotations: { ...auto, keys: 'used' },
      uses: [{ configMap: 'settings', via: 'env', key: '__proto__' }],
    });
    await s.operator();
    await s.adopted(web, precise);
    await s.configMap('settings', { ...data('one'), toString: 'two' });
    await s.rolled([web, 1], [precise, 0]);
    const changed = Object.fromEntries([
      ...Object.entries(data('one')).filter(([key]) => key !== '__proto__'),
      ['__proto__', 'three'],
    ]);
    await s.configMap('settings', changed);
    await s.rolled([web, 2], [precise, 1]);
    expect(({} as Record<string, unknown>).mode).toBeUndefined();
  }),

  scenario('O8: a very long annotation and unusual characters affect no other workload', async (s) => {
    const web = await neighbour(s);
    const names = Array.from({ length: 8_000 }, (_, index) => `name-${index}`).join(',');
    const long = await s.deployment('long', { annotations: { 'configmap/reload': `settings,${names}` } });
    const odd = await s.deployment('odd', {
      annotations: { 'configmap/reload': 'sëttings,𝕤ettings,\u0000?,settings', auto: 'ﬀ' },
    });
    await s.operator();
    await s.adopted(web, long);
    await change(s, 'fast');
    await s.rolled([web, 1], [long, 1]);
    expect(s.events(long).map(({ message }) => message)).toContainEqual(
      expect.stringContaining('there are more than 1000 names in this list'),
    );
    expect(s.rollouts(odd)).toBeLessThanOrEqual(1);
  }),

  scenario('O8: a source of nearly a megabyte is reloaded like any other', async (s) => {
    const web = await neighbour(s);
    const blob = (letter: string): Record<string, string> => ({ blob: letter.repeat(900_000) });
    await s.configMap('large', blob('a'));
    const heavy = await s.deployment('heavy', {
      annotations: auto,
      uses: [{ configMap: 'large', via: 'volume' }],
    });
    await s.operator();
    await s.adopted(web, heavy);
    await s.configMap('large', blob('b'));
    await s.rolled([web, 0], [heavy, 1]);
  }),

  scenario(
    'row 10: a target whose API the cluster does not have is named in a condition, and harms no other',
    async (s) => {
      await change(s, 'slow');
      const web = await s.deployment('web', { uses });
      const config = await s.config('config', {
        watchedResources: { configMaps: ['settings'] },
        targets: [
          { kind: 'DeploymentConfig', name: 'legacy' },
          { kind: 'Deployment', name: 'web' },
        ],
      });
      await s.operator();
      await s.conditionIs(config, 'Degraded', 'True', 'DeploymentConfig');
      await s.adopted(web);
      await change(s, 'fast');
      await s.rolled([web, 1]);
    },
  ),

  scenario(
    'O8: more sources than a ledger holds: TooManySources is said, and everybody else goes on',
    async (s) => {
      const web = await neighbour(s);
      const many = Array.from({ length: 300 }, (_, index) => `source-with-a-rather-long-name-${index}`);
      await Promise.all(many.map((name) => s.configMap(name, { a: '1' })));
      const greedy = await s.deployment('greedy', { annotations: { 'configmap/reload': 'source-.*' } });
      await s.operator();
      await s.adopted(web);
      await s.stage.until(
        'the limit to be told',
        () =>
          s.said('TooManySources') ||
          s.events(greedy).some(({ reason, message }) => `${reason} ${message}`.includes('TooManySources')),
      );
      await change(s, 'fast');
      await s.rolled([web, 1]);
      const size = JSON.stringify(s.record(greedy) ?? {}).length;
      expect(size).toBeLessThanOrEqual(8_192);
    },
  ),

  scenario(
    'I7: a value that the schema lets pass and that means nothing is told with its field; the rest works',
    async (s) => {
      const web = await neighbour(s);
      const target = await s.deployment('target', { uses });
      const other = await s.deployment('other', { uses });
      const config = await s.config('config', {
        watchedResources: { configMaps: ['settings'] },
        targets: [
          { kind: 'Deployment', name: 'target', pausePeriod: '99999999999999999h' },
          { kind: 'Deployment', name: 'other' },
        ],
      });
      await s.operator();
      await s.stage.until('the field to be named', () =>
        JSON.stringify(s.status(config).conditions ?? []).includes('targets[0].pausePeriod'),
      );
      await s.adopted(web, target, other);
      await change(s, 'fast');
      await s.rolled([web, 1], [target, 1], [other, 1]);
    },
  ),

  scenario('I7: an object that is deleted while a reload is pending leaves nothing behind', async (s) => {
    const web = await neighbour(s);
    const short = await s.deployment('short', {
      annotations: { ...auto, 'batch-window': s.stage.span('10m', '5s') },
      uses,
    });
    await s.operator();
    await s.adopted(web, short);
    await change(s, 'fast');
    await s.rolled([web, 1], [short, 0]);
    await s.remove('Deployment', 'short');
    await s.gone(short);
    await s.stage.quiet(20 * 60_000, 6_000);
    await change(s, 'faster');
    await s.rolled([web, 2]);
  }),

  scenario('O8: a config that may not reach a namespace sets no order there', async (s) => {
    await change(s, 'slow');
    const other = await s.stage.createNamespace('other');
    const first = await s.deployment('first', {
      annotations: { ...auto, wave: '1', approval: 'required' },
      uses,
    });
    const web = await s.deployment('web', { annotations: auto, uses });
    await s.config(
      'evil',
      {
        watchedResources: { configMaps: ['settings'] },
        targets: [{ kind: 'Deployment', name: 'web', namespace: s.namespace, wave: 100 }],
      },
      { namespace: other },
    );
    await s.operator();
    await s.adopted(first, web);
    await change(s, 'fast');
    await s.rolled([web, 1], [first, 0]);
    s.allow.pending = true;
  }),
];
