/** `reloader status`: shows first what needs a user's action, and no more than fits on a screen. */
import { describe, expect, test } from 'vitest';
import type { StatusAnswer, WorkloadLine } from '../../packages/operator/src/api/shapes.ts';
import { run } from '../../packages/operator/src/cli/command-io.test.support.ts';
import { workload } from '../reloader/objects.ts';
import { play } from './play.ts';
import type { Manifest } from './random-cluster.ts';

const P = 'reloader.stakater.com';
const STATUS: StatusAnswer = {
  version: '1.0.0',
  mode: 'reload',
  leading: true,
  installedAt: '2030-01-01T00:00:00Z',
  namespaces: [],
  sources: {},
  workloads: {},
  watched: 0,
  frozen: [],
  pending: [],
  failing: [],
  troubled: [],
};
const ref = (name: string, namespace = 'shop') => ({ kind: 'Deployment' as const, namespace, name });
const line = (name: string, more: Partial<WorkloadLine> = {}, namespace = 'shop'): WorkloadLine => ({
  workload: ref(name, namespace),
  state: 'current',
  sources: [],
  reloads: 0,
  problems: 0,
  ...more,
});
const paused = { why: 'paused' as const, until: '2030-01-01T00:10:00Z', message: 'pausePeriod' };
const frozen = { why: 'frozen' as const, message: 'frozen' };

const PAGE = 4;

/** The output of the command for this status and these lines. */
async function written(status: StatusAnswer, items: readonly WorkloadLine[], ...argv: string[]) {
  const fetch = async (url: string) => {
    const { pathname, searchParams } = new URL(url);
    const namespace = searchParams.get('namespace');
    const here = items.filter(({ workload: each }) => namespace === null || each.namespace === namespace);
    if (pathname.endsWith('/status')) return { status: 200, body: JSON.stringify(status) };
    // In pages, as the operator answers.
    const from = Number(searchParams.get('continue') ?? 0);
    const next = from + PAGE < here.length ? { continue: String(from + PAGE) } : {};
    return { status: 200, body: JSON.stringify({ items: here.slice(from, from + PAGE), ...next }) };
  };
  return run(['status', '--operator', 'http://operator.test:9090/', ...argv], { fetch });
}

const names = (out: string): string[] =>
  [...out.matchAll(/^\S+ +deployment\/(\S+)/gm)].map(([, name = '']) => name);

describe('the list', () => {
  const items = [
    line('a-good'),
    line('b-frozen', { frozen: 'namespace' }),
    line('c-paused', { pending: paused }),
    line('d-held', { pending: frozen }),
    line('e-mistake', { problems: 1 }),
    line('f-failing', { rolloutFailed: 'CrashLoopBackOff' }),
  ];

  test('begins with what needs a person', async () => {
    const { out } = await written(STATUS, items);
    expect(names(out)).toEqual(['f-failing', 'e-mistake', 'd-held', 'c-paused', 'b-frozen', 'a-good']);
    expect(out).toMatch(/b-frozen .*frozen\n/);
  });

  test('is filtered by --failing and --pending', async () => {
    expect(names((await written(STATUS, items, '--failing')).out)).toEqual(['f-failing']);
    expect(names((await written(STATUS, items, '--pending')).out)).toEqual(['d-held', 'c-paused']);
    expect(names((await written(STATUS, items, '--pending', '--failing')).out)).toHaveLength(3);
  });

  test('is a screen long unless more is asked for', async () => {
    const many = Array.from({ length: 130 }, (_, index) => line(`w${String(index).padStart(3, '0')}`));
    const pending = many.map(({ workload: each }) => ({ workload: each, wait: paused }));
    const { out } = await written({ ...STATUS, pending }, many);
    expect(out.split('\n').length).toBeLessThan(50);
    expect(names(out)).toHaveLength(20);
    expect(out.match(/and 110 more: --limit=0 lists all/g)).toHaveLength(2);
    expect(names((await written(STATUS, many, '--limit=0')).out)).toHaveLength(130);
    expect(names((await written(STATUS, many, '--limit', '3')).out)).toHaveLength(3);
    expect(names((await written(STATUS, many, '-o', 'wide')).out)).toHaveLength(130);
    expect(JSON.parse((await written(STATUS, many, '-o', 'json')).out).items).toHaveLength(130);
    const wrong = await written(STATUS, many, '--limit', 'few');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--limit is "few"')]);
  });
});

test('-n tells only of that namespace, -A of all', async () => {
  const status: StatusAnswer = {
    ...STATUS,
    frozen: [
      { scope: 'namespace', namespace: 'f' },
      { scope: 'namespace', namespace: 'shop' },
    ],
    pending: [
      { workload: ref('web'), wait: paused },
      { workload: ref('other', 'f'), wait: paused },
    ],
    failing: [{ workload: ref('web'), error: 'quota' }],
    troubled: [
      { workload: ref('web'), problem: { field: 'x', reason: 'UnknownKind', message: 'shop-problem' } },
    ],
  };
  const items = [line('web'), line('other', {}, 'f')];
  const { out } = await written(status, items, '-n', 'f');
  expect(out).toContain('Deployment f/other');
  expect(out).toContain('Namespace f: ');
  for (const word of ['shop', 'quota', 'Failing', 'Problems']) expect(out).not.toContain(word);
  const all = await written(status, items, '-A');
  for (const word of ['quota', 'shop-problem', 'Namespace f: ', 'Namespace shop: ', 'Deployment f/other'])
    expect(all.out).toContain(word);
});

test('a freeze is seen before anything changes, wherever it stands', async () => {
  const { command, stage } = await play();
  expect((await command('status')).out).not.toContain('Frozen');
  await command('freeze', 'deployment/web');
  await command('freeze', '-n', 'empty');
  await stage.clock.advance(2_000);
  const { out } = await command('status', '-A');
  expect(out).toContain(
    'Deployment shop/web: it is not reloaded until `reloader unfreeze deployment/web -n shop`',
  );
  expect(out).toContain('Namespace empty: its workloads are not reloaded until `reloader unfreeze -n empty`');
  expect(out).toMatch(/deployment\/web .* frozen\n/);
  await command('freeze', '--cluster');
  await stage.clock.advance(2_000);
  expect((await command('status')).out).toContain('until `reloader unfreeze --cluster`');
});

test('status and explain name an annotation that does not exist', async () => {
  const { command, stage } = await play();
  await stage.create(
    workload('Deployment', 'typo', 'shop', { annotations: { atuo: 'true' } }) as unknown as Manifest,
  );
  await stage.clock.advance(2_000);
  const said = `${P}/atuo: the annotation on the workload is not known to this version of the operator and has no effect: did you mean ${P}/auto?`;
  expect((await command('status')).out).toContain(`Deployment shop/typo: ${said}`);
  expect((await command('explain', 'deployment/typo')).out).toContain(said);
});
