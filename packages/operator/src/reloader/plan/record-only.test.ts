import { describe, expect, it } from 'vitest';
import { policyFor } from '../model/policy.ts';
import type { WorkloadKind } from '../model/workload.ts';
import { cause } from '../report/report.test.support.ts';
import { wantOf } from '../want/want.ts';
import {
  configFacts,
  defaultSettings,
  fakeWorld,
  sourceFacts,
  targetFacts,
  workloadFacts,
} from '../want/world.test.support.ts';
import { recordOnlyReason, uncounted } from './record-only.ts';

const podSpec = { containers: [{ name: 'app', envFrom: [{ secretRef: { name: 'db' } }] }] };
const AUTO = { 'reloader.stakater.com/auto': 'true' };

interface Row {
  readonly kind: WorkloadKind;
  readonly finished?: boolean;
  readonly by: 'annotation' | 'config' | 'both';
  readonly finishedJobs?: 'run' | 'skip';
  readonly cronJobStrategy?: 'run' | 'next-run';
  readonly expected: string | undefined;
}

describe('A change is only noted', () => {
  it.each<Row>([
    { kind: 'CronJob', by: 'annotation', expected: undefined },
    { kind: 'CronJob', by: 'config', expected: 'next-run' },
    { kind: 'CronJob', by: 'both', expected: undefined },
    { kind: 'CronJob', by: 'config', cronJobStrategy: 'run', expected: undefined },
    { kind: 'Job', by: 'annotation', finished: false, expected: undefined },
    { kind: 'Job', by: 'annotation', finished: true, expected: undefined },
    { kind: 'Job', by: 'annotation', finished: true, finishedJobs: 'skip', expected: 'finished' },
    { kind: 'Job', by: 'annotation', finished: false, finishedJobs: 'skip', expected: undefined },
    { kind: 'Job', by: 'config', finished: true, expected: 'finished' },
    { kind: 'Job', by: 'config', finished: false, expected: undefined },
    { kind: 'Job', by: 'both', finished: true, expected: undefined },
    { kind: 'Deployment', by: 'config', expected: undefined },
  ])('$kind by $by, finished $finished, $finishedJobs $cronJobStrategy: $expected', (row) => {
    const { kind, by, finished = false, finishedJobs = 'run', cronJobStrategy = 'next-run' } = row;
    const settings = defaultSettings({ finishedJobs, cronJobStrategy });
    const workload = workloadFacts({ kind, podSpec, finished, annotations: by === 'config' ? {} : AUTO });
    const config = configFacts({ secrets: ['db'], targets: [targetFacts({ kind })] });
    const world = fakeWorld({
      sources: [sourceFacts({ kind: 'Secret', name: 'db' })],
      configs: by === 'annotation' ? [] : [config],
      workloads: [workload],
    });
    const want = wantOf(workload, world, settings);
    const keys = want.sources.map(({ key }) => key);
    const reload = { policy: policyFor(want, keys), causes: [cause('Secret', 'db')] };
    expect(recordOnlyReason(workload, want, reload, settings)).toBe(row.expected);
  });
});

describe('What is noted', () => {
  const ledger = {
    uid: 'u',
    seq: 4,
    writtenAt: 20,
    reloadedAt: 20,
    recent: [],
    sources: new Map([['secret/db', { digest: 'new' }]]),
  };
  const recorded = {
    ...ledger,
    seq: 3,
    writtenAt: 10,
    reloadedAt: 5,
    pendingSince: 9,
    sources: new Map([['secret/db', { digest: 'old' }]]),
  };
  it('has the new digests and counts no reload', () => {
    expect(uncounted(ledger, recorded)).toEqual({ ...ledger, seq: 3, reloadedAt: 5 });
  });

  it('keeps the clock of the rate limit as it was', () => {
    const limited = { ...ledger, rateClock: 90 };
    expect(uncounted(limited, { ...recorded, rateClock: 70 }).rateClock).toBe(70);
    expect(uncounted(limited, recorded)).not.toHaveProperty('rateClock');
  });

  it('has no time of a reload where there never was one', () => {
    const { reloadedAt: _, ...rest } = ledger;
    expect(uncounted(ledger, undefined)).toEqual({ ...rest, seq: 0 });
  });
});
