import type { Stored } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import { DEFAULT_ANNOTATIONS as names } from '../model/annotations.ts';
import type { WorkloadKind } from '../model/workload.ts';
import type { PodTemplate, WorkloadObject, WorkloadSpec } from '../model/workload-object.ts';
import { workloadFacts } from './workload-projection.ts';

const OURS = { 'reloader.stakater.com/auto': 'true' };

const template: PodTemplate = {
  metadata: { labels: { app: 'web' }, annotations: { ...OURS, 'acme.com/team': 'blue' } },
  spec: {
    volumes: [{ name: 'tls', secret: { secretName: 'tls' } }],
    containers: [
      { name: 'proxy', volumeMounts: [{ name: 'tls' }] },
      {
        name: 'app',
        env: [
          { name: 'PORT', value: '80' },
          { name: 'STAKATER_SETTINGS_CONFIGMAP', value: 'abc' },
          { name: 'RELOADER_TRIGGERED_AT', value: 'now' },
        ],
        envFrom: [{ configMapRef: { name: 'settings' } }],
      },
    ],
  },
};

function workload(spec: WorkloadSpec, parts: Partial<WorkloadObject> = {}): Stored<WorkloadObject> {
  const { metadata, ...rest } = parts;
  return {
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'u1',
      resourceVersion: '9',
      generation: 3,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec,
    ...rest,
  };
}

const factsOf = (object: Stored<WorkloadObject>, kind: WorkloadKind = 'Deployment') =>
  workloadFacts(object, kind, names);

describe('Facts of a workload', () => {
  it('keep our annotations, of itself and of its template, and say whether there are any at all', () => {
    const annotations = { ...OURS, 'deployment.kubernetes.io/revision': '4' };
    expect(factsOf(workload({ template }, { metadata: { annotations } }))).toMatchObject({
      annotations: OURS,
      templateAnnotations: OURS,
      hasAnnotations: true,
      hasTemplateAnnotations: true,
    });
    expect(factsOf(workload({ template: {} }))).toMatchObject({
      annotations: {},
      templateAnnotations: {},
      hasAnnotations: false,
      hasTemplateAnnotations: false,
    });
  });

  it('know what the template uses and where our variables stand', () => {
    const facts = factsOf(workload({ template }));
    expect(facts.pod.volumes).toEqual([{ name: 'tls', sources: [{ kind: 'Secret', name: 'tls' }] }]);
    expect(facts.containers).toEqual([
      { name: 'proxy', envCount: 0 },
      { name: 'app', envCount: 3 },
    ]);
    const where = { container: 'app', containerIndex: 1 };
    expect(facts.slots).toEqual([
      { ...where, envIndex: 1, name: 'STAKATER_SETTINGS_CONFIGMAP', value: 'abc' },
      { ...where, envIndex: 2, name: 'RELOADER_TRIGGERED_AT', value: 'now' },
    ]);
  });

  it('of a CronJob come from the template of its Jobs', () => {
    const facts = factsOf(workload({ jobTemplate: { spec: { template } } }), 'CronJob');
    expect(facts.pod.containers.map(({ name }) => name)).toEqual(['proxy', 'app']);
    expect(facts.templateAnnotations).toEqual(OURS);
  });

  it('tell a Job of a CronJob by its controller', () => {
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: 'c1', controller: true };
    const facts = factsOf(workload({ template }, { metadata: { ownerReferences: [owner] } }), 'Job');
    expect(facts.controlledBy).toBe('CronJob/nightly');
  });

  it.each([
    ['Complete', 'True', true],
    ['Failed', 'True', true],
    ['Complete', 'False', false],
    ['Suspended', 'True', false],
  ])('take a Job with %s=%s for finished: %s', (type, status, finished) => {
    const object = workload({ template }, { status: { conditions: [{ type, status }] } });
    expect(factsOf(object, 'Job').finished).toBe(finished);
  });

  it('of a Rollout name the workload whose template it uses', () => {
    const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' };
    expect(factsOf(workload({ workloadRef }), 'Rollout').workloadRef).toEqual({
      kind: 'Deployment',
      namespace: 'shop',
      name: 'base',
    });
    expect(
      factsOf(workload({ workloadRef: { ...workloadRef, kind: 'Pod' } }), 'Rollout').workloadRef,
    ).toBeUndefined();
  });

  it('of a DeploymentConfig have its labels as a selector', () => {
    expect(factsOf(workload({ selector: { app: 'web' } }), 'DeploymentConfig').selector).toEqual({
      matchLabels: { app: 'web' },
    });
  });

  it('of a Rollout take null for absent', () => {
    const odd =
      '{"metadata":{"annotations":null},"spec":{"volumes":null,"containers":[{"name":"app","env":null}]}}';
    const facts = factsOf(workload({ template: JSON.parse(odd) as PodTemplate }), 'Rollout');
    expect(facts.containers).toEqual([{ name: 'app', envCount: 0 }]);
    expect(facts.hasTemplateAnnotations).toBe(false);
  });

  it('of an object without anything are empty', () => {
    const facts = workloadFacts(
      { metadata: { name: 'a', uid: 'u', resourceVersion: '1' } },
      'Rollout',
      names,
    );
    expect(facts).toMatchObject({ createdAt: 0, deleting: false, containers: [], slots: [] });
  });
});

describe('The digest of a template', () => {
  const digestOf = (each: PodTemplate): string => factsOf(workload({ template: each })).templateDigest;
  const [proxy, app] = template.spec?.containers ?? [];
  const withEnv = (env: { name: string; value: string }[]): PodTemplate => ({
    ...template,
    spec: { ...template.spec, containers: [proxy ?? {}, { ...app, env }] },
  });
  const withAnnotations = (annotations: Record<string, string>): PodTemplate => ({
    ...template,
    metadata: { labels: { app: 'web' }, annotations },
  });

  it.each([
    [
      'our annotation changed',
      withAnnotations({ 'acme.com/team': 'blue', 'reloader.stakater.com/rolled': '5' }),
    ],
    ['our variables are gone', withEnv([{ name: 'PORT', value: '80' }])],
    ['keys stand in another order', { spec: template.spec, metadata: template.metadata }],
  ])('is the same when %s', (_, changed) => {
    expect(digestOf(changed as PodTemplate)).toBe(digestOf(template));
  });

  it.each([
    ['another annotation', withAnnotations({ 'acme.com/team': 'red' })],
    [
      'a restart by kubectl',
      withAnnotations({ 'acme.com/team': 'blue', 'kubectl.kubernetes.io/restartedAt': 'now' }),
    ],
    ['a variable', withEnv([{ name: 'PORT', value: '81' }])],
  ])('is another with %s', (_, changed) => {
    expect(digestOf(changed)).not.toBe(digestOf(template));
  });

  it('does not see the map that our first annotation needed', () => {
    const bare: PodTemplate = {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'app' }] },
    };
    const marked: PodTemplate = {
      metadata: { labels: { app: 'web' }, annotations: { 'reloader.stakater.com/rolled': '1' } },
      spec: { containers: [{ name: 'app', env: [{ name: 'STAKATER_A_SECRET', value: 'x' }] }] },
    };
    expect(digestOf(marked)).toBe(digestOf(bare));
    expect(digestOf(bare)).toMatch(/^[A-Za-z0-9_-]{8}$/);
  });
});

describe('The last write of a template', () => {
  const entry = (manager: string, seconds: number, fieldsV1: object) => ({
    manager,
    time: `2026-01-01T00:00:${seconds}Z`,
    fieldsV1,
  });
  const own = { 'f:spec': { 'f:template': {} } };
  const at = (seconds: number): number => Date.UTC(2026, 0, 1) / 1000 + seconds;

  it.each([
    ['the newest by somebody else', 'Deployment', [entry('helm', 10, own), entry('kubectl', 20, own)], 20],
    ['not our own', 'Deployment', [entry('helm', 10, own), entry('Reloader', 20, own)], 10],
    ['not one of replicas', 'Deployment', [entry('hpa', 20, { 'f:spec': { 'f:replicas': {} } })], 0],
    ['that of the Job template', 'CronJob', [entry('helm', 20, { 'f:spec': { 'f:jobTemplate': {} } })], 20],
  ] as const)('is %s', (_, kind, managedFields, seconds) => {
    const object = workload({ template }, { metadata: { managedFields: [...managedFields] } });
    expect(factsOf(object, kind).templateWrittenAt).toBe(at(seconds));
  });
});

describe('Since when a workload is annotated', () => {
  const at = (seconds: number): number => Date.UTC(2026, 0, 1) / 1000 + seconds;
  const auto = { 'f:metadata': { 'f:annotations': { 'f:reloader.stakater.com/auto': {} } } };
  const entry = (manager: string, seconds: number, fieldsV1: object) => ({
    manager,
    time: `2026-01-01T00:00:${seconds}Z`,
    fieldsV1,
  });

  it.each([
    ['its creation, with no entry', [], 0],
    ['the time of an entry of its own', [entry('kubectl-annotate', 20, auto)], 20],
    ['the earliest of two', [entry('a', 30, auto), entry('b', 20, auto)], 20],
    [
      'its creation, if the manager of the spec wrote it, too',
      [entry('helm', 20, { ...auto, 'f:spec': {} })],
      0,
    ],
    ['not that of other annotations', [entry('x', 20, { 'f:metadata': { 'f:annotations': {} } })], 0],
    ['not our own', [entry('Reloader', 20, auto)], 0],
  ])('is %s', (_, managedFields, seconds) => {
    const annotations = { 'reloader.stakater.com/auto': 'true' };
    const object = workload({ template }, { metadata: { annotations, managedFields } });
    expect(factsOf(object, 'Deployment').annotatedAt).toBe(at(seconds));
  });
});

describe('The rollout', () => {
  const status = { observedGeneration: 2, replicas: 5, updatedReplicas: 3, availableReplicas: 4 };
  const counts = { generation: 3, observedGeneration: 2, wanted: 4, updated: 3, available: 4, total: 5 };

  it.each(['Deployment', 'StatefulSet', 'Rollout', 'DeploymentConfig'] as const)(
    'of a %s is counted in replicas',
    (kind) => {
      expect(factsOf(workload({ replicas: 4 }, { status }), kind).rollout).toMatchObject(counts);
    },
  );

  it('of a Deployment without replicas expects one', () => {
    expect(factsOf(workload({})).rollout.wanted).toBe(1);
  });

  it('of a DaemonSet is counted in nodes', () => {
    const nodes = {
      observedGeneration: 2,
      desiredNumberScheduled: 4,
      updatedNumberScheduled: 3,
      numberAvailable: 4,
      currentNumberScheduled: 5,
    };
    expect(factsOf(workload({}, { status: nodes }), 'DaemonSet').rollout).toMatchObject(counts);
  });

  it('of a Rollout may name the generation as a text', () => {
    const object = workload({}, { status: { observedGeneration: '3' } });
    expect(factsOf(object, 'Rollout').rollout.observedGeneration).toBe(3);
  });

  it('of a Job has nothing to observe', () => {
    expect(factsOf(workload({}, { status: { active: 2 } }), 'Job').rollout).toMatchObject({
      generation: 3,
      observedGeneration: 3,
      wanted: 2,
      updated: 2,
    });
  });

  it('has failed when its deadline is exceeded', () => {
    const conditions = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }];
    expect(factsOf(workload({}, { status: { conditions } })).rollout.deadlineExceeded).toBe(true);
  });

  it.each<[WorkloadKind, WorkloadSpec, string | undefined]>([
    ['Deployment', { paused: true }, 'paused'],
    ['Deployment', {}, undefined],
    ['StatefulSet', { updateStrategy: { type: 'OnDelete' } }, 'on-delete'],
    [
      'StatefulSet',
      { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } },
      'partition',
    ],
    [
      'StatefulSet',
      { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } },
      undefined,
    ],
    ['DaemonSet', { updateStrategy: { type: 'OnDelete' } }, 'on-delete'],
    ['CronJob', { suspend: true }, 'suspended'],
    ['Job', { suspend: true }, 'suspended'],
  ])('of a %s with %o waits: %s', (kind, spec, waits) => {
    expect(factsOf(workload(spec), kind).rollout.waits).toBe(waits);
  });

  it('of an Argo Rollout that pauses between two steps waits', () => {
    const object = workload({}, { status: { pauseConditions: [{ reason: 'CanaryPauseStep' }] } });
    expect(factsOf(object, 'Rollout').rollout.waits).toBe('paused');
  });
});

describe('a freeze', () => {
  const FREEZE = 'reloader.stakater.com/freeze';
  const entry = (manager: string, time: string, annotation: string) => ({
    manager,
    operation: 'Update' as const,
    time,
    fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${annotation}`]: {} } } },
  });
  const managedFields = [
    entry('kubectl-annotate', '2026-01-02T00:00:00Z', FREEZE),
    entry('argocd', '2026-01-03T00:00:00Z', 'reloader.stakater.com/auto'),
  ];

  it('has the field manager and the time of its annotation', () => {
    const metadata = { annotations: { [FREEZE]: 'true' }, managedFields } as never;
    const { frozen } = workloadFacts(workload({ template }, { metadata }), 'Deployment', names);
    expect(frozen).toEqual({ by: 'kubectl-annotate', at: Date.parse('2026-01-02T00:00:00Z') / 1_000 });
  });

  it('is absent without the annotation', () => {
    const metadata = { annotations: OURS, managedFields } as never;
    expect(workloadFacts(workload({ template }, { metadata }), 'Deployment', names)).not.toHaveProperty(
      'frozen',
    );
  });
});
