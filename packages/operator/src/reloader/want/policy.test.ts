import { describe, expect, it } from 'vitest';
import type { ConfigFacts, TargetFacts } from '../model/config.ts';
import { policyFor } from '../model/policy.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { Policy, Want } from '../model/want.ts';
import type { WorkloadKind } from '../model/workload.ts';
import { full, type Short } from './annotations.test.support.ts';
import { wantOf } from './want.ts';
import {
  configFacts,
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  targetFacts,
  workloadFacts,
} from './world.test.support.ts';

const PAUSE = 'deployment.reloader.stakater.com/pause-period';

interface Given {
  readonly kind?: WorkloadKind;
  readonly workload?: Short;
  readonly namespace?: Short;
  readonly operatorNamespace?: Short;
  /** The first is the oldest. */
  readonly configs?: readonly (Partial<ConfigFacts> & { target?: Partial<TargetFacts> })[];
  readonly settings?: Partial<ReloaderSettings>;
}

function want({ kind = 'Deployment', workload = {}, namespace = {}, configs = [], ...rest }: Given): Want {
  const world = fakeWorld({
    configs: configs.map(({ target, ...config }, index) =>
      configFacts({
        name: `config-${index}`,
        createdAt: index,
        targets: [targetFacts({ kind, ...target })],
        ...config,
      }),
    ),
    namespaces: [
      namespaceFacts({ annotations: full(namespace) }),
      namespaceFacts({ name: 'reloader', annotations: full(rest.operatorNamespace ?? {}) }),
    ],
  });
  return wantOf(workloadFacts({ kind, annotations: full(workload) }), world, defaultSettings(rest.settings));
}

const DEFAULTS: Partial<ReloaderSettings> = { namespaceDefaults: true };

describe('how a workload is reloaded', () => {
  const rows: readonly [what: string, given: Given, expected: Partial<Policy>][] = [
    [
      'as the flags say',
      {
        settings: {
          reloadStrategy: 'annotations',
          rolloutStrategy: 'restart',
          settleMs: 5,
          settleMaxMs: 50,
          batchWindowMs: 7,
        },
      },
      {
        reloadStrategy: 'annotations',
        rolloutStrategy: 'restart',
        settleMs: 5,
        settleMaxMs: 50,
        batchWindowMs: 7,
        pauseMs: 0,
        stakaterPauseMs: undefined,
        freezes: [],
        windows: [],
        maxWaitMs: undefined,
        verify: undefined,
        onFailure: 'hold',
        invalid: undefined,
        cronJob: 'run',
      },
    ],
    [
      'by its annotation: restart',
      { workload: { 'rollout-strategy': 'restart' } },
      { rolloutStrategy: 'restart' },
    ],
    [
      'by its annotation: rollout, against the flag',
      { workload: { 'rollout-strategy': 'rollout' }, settings: { rolloutStrategy: 'restart' } },
      { rolloutStrategy: 'rollout' },
    ],
    [
      'by rollout for any other word, against the flag',
      { workload: { 'rollout-strategy': 'Restart' }, settings: { rolloutStrategy: 'restart' } },
      { rolloutStrategy: 'rollout' },
    ],
    [
      'on every kind',
      { kind: 'StatefulSet', workload: { 'rollout-strategy': 'restart' } },
      { rolloutStrategy: 'restart' },
    ],
    [
      'by its config, against its annotation',
      {
        workload: { 'rollout-strategy': 'restart', settle: '9s' },
        configs: [{ rolloutStrategy: 'rollout', settleMs: 3 }],
      },
      { rolloutStrategy: 'rollout', settleMs: 3 },
    ],
    [
      "by the target's own word, against the config",
      {
        configs: [
          {
            rolloutStrategy: 'rollout',
            reloadStrategy: 'env-vars',
            settleMs: 1,
            batchWindowMs: 1,
            target: {
              rolloutStrategy: 'restart',
              reloadStrategy: 'annotations',
              settleMs: 2,
              batchWindowMs: 3,
            },
          },
        ],
      },
      { rolloutStrategy: 'restart', reloadStrategy: 'annotations', settleMs: 2, batchWindowMs: 3 },
    ],
    [
      'by the older of two configs',
      { configs: [{ reloadStrategy: 'annotations' }, { target: { reloadStrategy: 'env-vars' } }] },
      { reloadStrategy: 'annotations' },
    ],
    [
      'by the younger config where the older says nothing',
      { configs: [{}, { reloadStrategy: 'annotations' }] },
      { reloadStrategy: 'annotations' },
    ],
    ['settled as it says', { workload: { settle: '2s' } }, { settleMs: 2000, settleMaxMs: 10_000 }],
    ['settled not at all', { workload: { settle: '0' } }, { settleMs: 0 }],
    [
      'settled longer than the flag allows',
      { workload: { settle: '1m' } },
      { settleMs: 60_000, settleMaxMs: 60_000 },
    ],
    ['batched as it says', { workload: { 'batch-window': '1h30m' } }, { batchWindowMs: 5_400_000 }],
    ["paused in Stakater's way", { workload: { [PAUSE]: '5m' } }, { stakaterPauseMs: 300_000, pauseMs: 0 }],
    ['not paused for zero', { workload: { [PAUSE]: '0s' } }, { stakaterPauseMs: undefined }],
    ['not paused for less than zero', { workload: { [PAUSE]: '-5m' } }, { stakaterPauseMs: undefined }],
    [
      'paused under the name that a flag gives',
      {
        workload: { 'x/pause': '5m', [PAUSE]: '1h' },
        settings: { names: { ...defaultSettings().names, pausePeriod: 'x/pause' } },
      },
      { stakaterPauseMs: 300_000 },
    ],
    [
      'held between reloads on other kinds',
      { kind: 'StatefulSet', workload: { 'statefulset.reloader.stakater.com/pause-period': '5m' } },
      { stakaterPauseMs: undefined, pauseMs: 300_000 },
    ],
    [
      'not held by the word for another kind',
      { kind: 'StatefulSet', workload: { [PAUSE]: '5m' } },
      { stakaterPauseMs: undefined, pauseMs: 0 },
    ],
    [
      'held for the pause of the oldest config that has one, for its target first',
      {
        kind: 'DaemonSet',
        workload: { 'daemonset.reloader.stakater.com/pause-period': '5m' },
        configs: [{}, { pausePeriodMs: 1, target: { pausePeriodMs: 600_000 } }, { pausePeriodMs: 700_000 }],
      },
      { pauseMs: 600_000, pausedBy: 'pausePeriod of ReloaderConfig shop/config-1' },
    ],
    [
      'held by its annotation where that is longer',
      {
        kind: 'DaemonSet',
        workload: { 'daemonset.reloader.stakater.com/pause-period': '5m' },
        configs: [{ pausePeriodMs: 1000 }],
      },
      { pauseMs: 300_000 },
    ],
    [
      "held for the target's own pause, although the config's is longer",
      { configs: [{ pausePeriodMs: 9000, target: { pausePeriodMs: 10 } }] },
      { pauseMs: 10 },
    ],
    [
      'held by a config and paused by its annotation',
      { workload: { [PAUSE]: '5m' }, configs: [{ pausePeriodMs: 1000 }] },
      { stakaterPauseMs: 300_000, pauseMs: 1000 },
    ],
    [
      'by the defaults of its namespace',
      {
        namespace: { 'rollout-strategy': 'restart', settle: '3s', 'batch-window': '4s', [PAUSE]: '5s' },
        settings: DEFAULTS,
      },
      { rolloutStrategy: 'restart', settleMs: 3000, batchWindowMs: 4000, stakaterPauseMs: 5000 },
    ],
    [
      'not by its namespace without the flag',
      { namespace: { 'rollout-strategy': 'restart', settle: '3s' } },
      { rolloutStrategy: 'rollout', settleMs: 1000 },
    ],
    [
      'by its own word, against its namespace',
      {
        namespace: { 'rollout-strategy': 'restart', settle: '3s' },
        workload: { 'rollout-strategy': 'rollout', settle: '4s' },
        settings: DEFAULTS,
      },
      { rolloutStrategy: 'rollout', settleMs: 4000 },
    ],
    [
      'by its namespace where its own word cannot be read',
      { namespace: { settle: '3s' }, workload: { settle: 'soon' }, settings: DEFAULTS },
      { settleMs: 3000 },
    ],
    [
      'not while it is frozen',
      { workload: { freeze: 'true' } },
      { freezes: [{ place: 'workload', until: undefined, reason: undefined }] },
    ],
    [
      'not while its namespace is frozen',
      { namespace: { freeze: 'True' } },
      { freezes: [{ place: 'namespace', until: undefined, reason: undefined }] },
    ],
    [
      'not while the cluster is frozen',
      { operatorNamespace: { freeze: 'true' } },
      { freezes: [{ place: 'cluster', until: undefined, reason: undefined }] },
    ],
    [
      'when nothing is frozen any more',
      { workload: { freeze: 'false' }, namespace: { freeze: '' }, operatorNamespace: { freeze: '0' } },
      { freezes: [] },
    ],
    [
      'not while the namespace is frozen, although the workload is not',
      { workload: { freeze: 'false' }, namespace: { freeze: 'true' } },
      { freezes: [{ place: 'namespace', until: undefined, reason: undefined }] },
    ],
    [
      'not before the time that a freeze names, and it says why',
      { workload: { freeze: '2026-12-24T18:00:00+01:00', 'freeze-reason': ' holidays ' } },
      { freezes: [{ place: 'workload', until: Date.UTC(2026, 11, 24, 17), reason: 'holidays' }] },
    ],
  ];
  it.each(rows)('%s', (_, given, expected) => {
    expect(want(given).policy).toMatchObject(expected);
  });

  it('calls the frozen namespace of the operator the cluster', () => {
    const world = fakeWorld({
      namespaces: [namespaceFacts({ name: 'reloader', annotations: full({ freeze: 'true' }) })],
    });
    const workload = workloadFacts({ namespace: 'reloader' });
    expect(wantOf(workload, world, defaultSettings()).policy.freezes).toMatchObject([{ place: 'cluster' }]);
  });

  it('is not decided by a config that may not reach it', () => {
    const stranger = { target: {}, rolloutStrategy: 'restart', pausePeriodMs: 9 } as const;
    const world = fakeWorld({
      configs: [configFacts({ ...stranger, namespace: 'elsewhere' })],
      namespaces: [namespaceFacts()],
    });
    const { policy, problems } = wantOf(workloadFacts(), world, defaultSettings());
    expect(policy).toMatchObject({ rolloutStrategy: 'rollout', pauseMs: 0 });
    expect(problems).toEqual([]);
  });
});

describe('a CronJob', () => {
  const cronJob = (workload: Short, configs: Given['configs'], settings: Partial<ReloaderSettings> = {}) =>
    want({ kind: 'CronJob', workload, configs: configs ?? [], settings }).policy.cronJob;

  it('runs when annotations ask', () => {
    expect(cronJob({ 'secret.reload': 'db' }, [])).toBe('run');
    expect(cronJob({ 'secret.reload': 'db' }, [{ secrets: ['db'] }])).toBe('run');
  });

  it('waits for its next run when only configs ask, unless the flag says run', () => {
    expect(cronJob({}, [{ secrets: ['db'] }])).toBe('next-run');
    expect(cronJob({}, [{ secrets: ['db'] }], { cronJobStrategy: 'run' })).toBe('run');
    expect(cronJob({ auto: 'true' }, [{ secrets: ['db'] }])).toBe('next-run');
  });
});

describe('an invalid value', () => {
  it.each([
    ['settle', 'soon'],
    ['settle', '5'],
    ['settle', '-1s'],
    ['settle', '1e9s'],
    ['batch-window', '5 minutes'],
  ])('%s: %j is reported and left out', (field, text) => {
    const { policy, problems } = want({ workload: { [field]: text } });
    expect(policy).toEqual(want({}).policy);
    expect(problems).toMatchObject([{ field: `reloader.stakater.com/${field}`, reason: 'InvalidDuration' }]);
    expect(problems[0]?.message).toContain(JSON.stringify(text));
    expect(problems[0]?.message).toContain('"30s"');
  });

  it('is reported for pauses of every kind', () => {
    for (const kind of ['Deployment', 'StatefulSet'] as const) {
      const field = `${kind.toLowerCase()}.reloader.stakater.com/pause-period`;
      expect(want({ kind, workload: { [field]: 'x' } }).problems).toMatchObject([
        { field, reason: 'InvalidDuration' },
      ]);
    }
  });

  it('is not a pause of less than zero, which Stakater takes', () => {
    expect(want({ workload: { [PAUSE]: '-5m' } }).problems).toEqual([]);
  });

  it('is reported once, even if one Namespace freezes in two ways', () => {
    const world = fakeWorld({
      namespaces: [namespaceFacts({ name: 'reloader', annotations: full({ freeze: 'yes' }) })],
    });
    const workload = workloadFacts({ namespace: 'reloader' });
    expect(wantOf(workload, world, defaultSettings()).problems).toHaveLength(1);
  });

  it('is reported with the name of the Namespace', () => {
    const { problems } = want({ namespace: { settle: 'x' }, settings: DEFAULTS });
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain('Namespace shop');
  });

  it('freezes if it is a freeze, and is reported', () => {
    const { policy, problems } = want({ workload: { freeze: 'yes' } });
    expect(policy.freezes).toMatchObject([{ place: 'workload', until: undefined }]);
    expect(problems).toMatchObject([{ field: 'reloader.stakater.com/freeze', reason: 'UnknownValue' }]);
  });

  it('is reported for an unknown strategy', () => {
    const { problems } = want({ workload: { 'rollout-strategy': 'env-vars' } });
    expect(problems).toMatchObject([
      { field: 'reloader.stakater.com/rollout-strategy', reason: 'UnknownValue' },
    ]);
  });

  it('is quoted in part', () => {
    const { problems } = want({ workload: { settle: 'x'.repeat(100_000) } });
    expect(problems[0]?.message.length).toBeLessThan(300);
  });
});

describe('which config applies to a change', () => {
  const one = { reloadStrategy: 'env-vars', pausePeriodMs: 3_600_000, secrets: ['a', 'both'] } as const;
  const two = { reloadStrategy: 'annotations', settleMs: 7, secrets: ['b', 'both'] } as const;
  const given = workloadFacts({ annotations: full({ search: 'true' }) });

  function asked(changed: readonly string[]): Policy {
    const names = ['a', 'b', 'both', 'plain'];
    const configs = [one, two].map((config, index) =>
      configFacts({ name: `config-${index}`, createdAt: index, targets: [targetFacts()], ...config }),
    );
    const match = { 'reloader.stakater.com/match': 'true' };
    const sources = names.map((name) =>
      sourceFacts({ kind: 'Secret', name, annotations: name === 'plain' ? match : {} }),
    );
    const podSpec = { containers: [{ name: 'app', envFrom: [{ secretRef: { name: 'plain' } }] }] };
    const world = fakeWorld({ configs, sources });
    const workload = workloadFacts({ annotations: given.annotations, podSpec });
    return policyFor(
      wantOf(workload, world, defaultSettings()),
      changed.map((name) => `secret/${name}`),
    );
  }

  it.each([
    ['the config that watches it', ['a'], { reloadStrategy: 'env-vars', pauseMs: 3_600_000 }],
    ['not another one', ['b'], { reloadStrategy: 'annotations', pauseMs: 0, settleMs: 7 }],
    ['of several the oldest that says it', ['both'], { reloadStrategy: 'env-vars', settleMs: 7 }],
    ['all that watch one of the changes', ['a', 'b'], { pauseMs: 3_600_000, settleMs: 7 }],
    ['no config where only annotations ask', ['plain'], { pauseMs: 0, settleMs: 1000 }],
  ])('%s', (_, changed, expected) => {
    expect(asked(changed)).toMatchObject(expected);
  });
});
