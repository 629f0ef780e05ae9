import { expect, test } from 'vitest';
import { viewOf } from '../reloader/report/report.test.support.ts';
import type { WorkloadView } from '../reloader/report/reporter.ts';
import type { Later } from '../reloader/schedule/types.ts';
import { workloadFacts } from '../reloader/want/world.test.support.ts';
import { overviewOf } from './overview.ts';
import { partsOver } from './parts.test.support.ts';

const waits = (why: Later['why'], until?: number): Later =>
  ({
    kind: 'later',
    why,
    message: why,
    change: 'c',
    since: 0,
    ...(until !== undefined && { until }),
  }) as Later;

interface Shown extends Partial<WorkloadView> {
  readonly namespace?: string;
  readonly frozen?: 'workload' | 'namespace' | 'cluster';
}

function view(name: string, { namespace = 'shop', frozen, ...more }: Shown = {}): WorkloadView {
  const facts = workloadFacts();
  const base = viewOf({ ...facts, metadata: { ...facts.metadata, namespace, name } }, more);
  const ref = { kind: 'Secret', namespace, name: 'key' };
  const policy = frozen ? { ...base.want.policy, freezes: [{ place: frozen }] } : base.want.policy;
  return { ...base, want: { ...base.want, policy, sources: [{ ref }] } as never };
}

const overview = (views: readonly WorkloadView[], namespace?: string) =>
  overviewOf(partsOver(() => views).lines, namespace, {
    freezeAt: () => ({ by: 'kubectl-annotate', reason: 'Christmas' }),
    now: 5_000,
  });
const names = (lines: readonly { readonly workload: { readonly name: string } }[] = []) =>
  lines.map(({ workload }) => workload.name);

test('waiting workloads are grouped by reason, the next to be reloaded first', async () => {
  const { waiting, counts } = await overview([
    view('a', { deferred: waits('paused', 9_000) }),
    view('b', { deferred: waits('paused', 3_000) }),
    view('c', { deferred: waits('frozen') }),
    view('d', { deferred: waits('settling', 1_000) }),
    view('e'),
  ]);
  expect(waiting.map(({ why, count, first }) => [why, count, names(first)])).toEqual([
    ['settling', 1, ['d']],
    ['paused', 2, ['b', 'a']],
    ['frozen', 1, ['c']],
  ]);
  expect(counts).toMatchObject({ all: 5, byState: { waiting: 4, current: 1 } });
});

test('of many only the first are listed, with their number', async () => {
  const failed = Array.from({ length: 25 }, (_, at) =>
    view(`w${String(at).padStart(2, '0')}`, { lastError: 'quota' }),
  );
  const { failing } = await overview(failed);
  expect(failing.count).toBe(25);
  expect(failing.first).toHaveLength(10);
  expect(failing.first[0]).toMatchObject({ lastError: 'quota', workload: { name: 'w00' } });
});

test('a freeze shows how many workloads it holds and how many would restart', async () => {
  const { freezes, moreFreezes } = await overview([
    view('own', { frozen: 'workload' }),
    view('one', { frozen: 'namespace', deferred: waits('frozen') }),
    view('two', { frozen: 'namespace' }),
    view('far', { frozen: 'namespace', namespace: 'bank' }),
  ]);
  expect(freezes).toMatchObject([
    { scope: 'namespace', namespace: 'bank', count: 1, waiting: 0, first: [] },
    { scope: 'namespace', namespace: 'shop', count: 2, waiting: 1, first: [{ workload: { name: 'one' } }] },
    { scope: 'workload', workload: { name: 'own' }, count: 1, waiting: 0 },
  ]);
  expect(moreFreezes).toBe(0);
});

test('a freeze shows its author, its reason, and when the first restart would follow', async () => {
  const also = (...ends: (number | undefined)[]): Later =>
    ({ ...waits('frozen'), also: ends.map((until) => ({ why: 'window', message: '', until })) }) as Later;
  const { freezes } = await overview([
    view('late', { frozen: 'namespace', deferred: also(90_000, 60_000) }),
    view('later', { frozen: 'namespace', deferred: also(120_000) }),
    view('never', { frozen: 'namespace', namespace: 'bank', deferred: also(90_000, undefined) }),
    view('once', { frozen: 'workload', deferred: waits('frozen') }),
  ]);
  expect(freezes).toMatchObject([
    { namespace: 'bank', waiting: 1, by: 'kubectl-annotate', reason: 'Christmas' },
    {
      namespace: 'shop',
      waiting: 2,
      next: '1970-01-01T00:01:30.000Z',
      first: [{ workload: { name: 'late' } }, { workload: { name: 'later' } }],
    },
    { workload: { name: 'once' }, next: '1970-01-01T00:00:05.000Z' },
  ]);
  expect(freezes[0]).not.toHaveProperty('next');
});

test('workloads that another freeze also holds would not restart', async () => {
  const twice = view('twice', { frozen: 'workload', deferred: waits('frozen') });
  const freezes = [{ place: 'workload' }, { place: 'namespace' }];
  const want = { ...twice.want, policy: { ...twice.want.policy, freezes } };
  expect((await overview([{ ...twice, want: want as never }])).freezes).toMatchObject([
    { scope: 'workload', count: 1, waiting: 0, first: [] },
  ]);
});

test('at most fifty freezes are listed', async () => {
  const frozen = Array.from({ length: 53 }, (_, at) => view(`w${at}`, { frozen: 'workload' }));
  const { freezes, moreFreezes } = await overview(frozen);
  expect([freezes.length, moreFreezes]).toEqual([50, 3]);
});

test('approvals and doubts are listed as waiting for a person', async () => {
  const { approvals } = await overview([
    view('a', { deferred: waits('approval') }),
    view('b', { deferred: waits('doubt') }),
    view('c', { deferred: waits('window') }),
  ]);
  expect(names(approvals.first)).toEqual(['a', 'b']);
});

test('of one namespace it contains nothing of others', async () => {
  const answer = await overview([view('a'), view('vault', { namespace: 'bank', lastError: 'x' })], 'shop');
  expect(answer.counts.all).toBe(1);
  expect(JSON.stringify(answer)).not.toContain('vault');
});
