/**
 * A world made of plain lists, for tests of decisions, and builders of facts with defaults: a test sets only the
 * fields that matter to it.
 */
import { DEFAULT_ANNOTATIONS } from '../model/annotations.ts';
import type { ConfigFacts, TargetFacts } from '../model/config.ts';
import { podFacts } from '../model/pod-facts.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { SourceKind, SourceRef } from '../model/source.ts';
import { sourceKey } from '../model/source.ts';
import type { SourceFacts, SourceState } from '../model/source-facts.ts';
import type { OptInSeen } from '../model/want.ts';
import type { WorkloadFacts, WorkloadKind, WorkloadRef } from '../model/workload.ts';
import { workloadKey } from '../model/workload.ts';
import type { NamespaceFacts, World } from '../model/world.ts';

export interface FakeWorldParts {
  readonly sources?: readonly SourceFacts[];
  readonly workloads?: readonly WorkloadFacts[];
  readonly configs?: readonly ConfigFacts[];
  readonly namespaces?: readonly NamespaceFacts[];
  /** Overrides states, by `namespace/Kind/name`: gone with its last annotations, or unknown. */
  readonly states?: Readonly<Record<string, SourceState>>;
  /** Kinds whose API is absent or may not be read. */
  readonly unknownKinds?: readonly WorkloadKind[];
  readonly outOfScope?: readonly string[];
  /** Namespaces cannot be read. */
  readonly namespacesUnreadable?: boolean;
}

export interface FakeWorld extends World {
  /** Calls by method name: a measure of a decision's cost. */
  readonly calls: ReadonlyMap<string, number>;
}

/** The process observed no opt-in. */
export const NOT_SEEN: OptInSeen = {
  annotation: undefined,
  config: false,
  namespaces: new Map(),
  labelled: new Map(),
  sources: new Map(),
};

export function fakeWorld(parts: FakeWorldParts = {}): FakeWorld {
  const calls = new Map<string, number>();
  const counted = (name: string): void => void calls.set(name, (calls.get(name) ?? 0) + 1);
  const sources = new Map(
    (parts.sources ?? []).map((facts) => [sourceKey({ ...facts.metadata, kind: facts.kind }), facts]),
  );
  const states = new Map(Object.entries(parts.states ?? {}));
  const namespaces = new Map((parts.namespaces ?? []).map((facts) => [facts.metadata.name, facts]));
  const workloads = new Map(
    (parts.workloads ?? []).map((facts) => [workloadKey({ ...facts.metadata, kind: facts.kind }), facts]),
  );
  const outOfScope = new Set(parts.outOfScope);
  const byAge = (a: ConfigFacts, b: ConfigFacts): number =>
    a.createdAt - b.createdAt || (configKey(a) < configKey(b) ? -1 : 1);
  return {
    calls,
    source(ref: SourceRef): SourceState {
      counted('source');
      const facts = sources.get(sourceKey(ref));
      const state = states.get(sourceKey(ref));
      if (state) return state;
      if (outOfScope.has(ref.namespace)) return { kind: 'unknown', why: 'out of scope' };
      if (namespaces.get(ref.namespace)?.deleting) return { kind: 'unknown', why: 'being deleted' };
      return facts ? { kind: 'present', facts } : { kind: 'gone' };
    },
    sourcesIn(namespace: string, kind: SourceKind): Iterable<SourceFacts> {
      counted('sourcesIn');
      return [...sources.values()].filter(
        (facts) => facts.metadata.namespace === namespace && facts.kind === kind,
      );
    },
    workload(ref: WorkloadRef): WorkloadFacts | undefined {
      counted('workload');
      return workloads.get(workloadKey(ref));
    },
    knows: (kind) => !parts.unknownKinds?.includes(kind),
    configsFor(ref: WorkloadRef): readonly ConfigFacts[] {
      counted('configsFor');
      const names = ({ targets }: ConfigFacts): boolean =>
        targets.some((target) => workloadKey(target) === workloadKey(ref));
      return (parts.configs ?? []).filter((config) => !config.ignored && names(config)).toSorted(byAge);
    },
    config: ({ namespace, name }) =>
      parts.configs?.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    namespace: (name) => (parts.namespacesUnreadable ? undefined : namespaces.get(name)),
    namespaces: () => [...namespaces.keys()].filter((name) => !outOfScope.has(name)),
    optInSeen: () => NOT_SEEN,
    inScope: (namespace) => !outOfScope.has(namespace),
  };
}

const configKey = ({ metadata }: ConfigFacts): string => `${metadata.namespace}/${metadata.name}`;

type Named<T extends { metadata: object }> = Partial<Omit<T, 'metadata'>> & {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
};

/** A ConfigMap `settings` in `shop`, created and written at second 1000. */
export function sourceFacts({ name, namespace, uid, ...rest }: Named<SourceFacts> = {}): SourceFacts {
  return {
    metadata: {
      name: name ?? 'settings',
      namespace: namespace ?? 'shop',
      uid: uid ?? `uid-${rest.kind ?? 'ConfigMap'}-${name ?? 'settings'}`,
      resourceVersion: '1',
    },
    kind: 'ConfigMap',
    labels: {},
    annotations: {},
    createdAt: 1000,
    writtenAt: 1000,
    writtenBy: '',
    digest: 'digest0000000000000000',
    keyDigests: '',
    slot: 'a'.repeat(40),
    sha1: 'b'.repeat(40),
    generated: false,
    ...rest,
  };
}

/** A Deployment `web` in `shop` with one container `app`; `podSpec` is projected as in production. */
export function workloadFacts({
  name,
  namespace,
  uid,
  podSpec,
  ...rest
}: Named<WorkloadFacts> & { readonly podSpec?: Parameters<typeof podFacts>[0] } = {}): WorkloadFacts {
  const pod = rest.pod ?? podFacts(podSpec ?? { containers: [{ name: 'app' }] });
  const annotations = rest.annotations ?? {};
  const templateAnnotations = rest.templateAnnotations ?? {};
  return {
    metadata: {
      name: name ?? 'web',
      namespace: namespace ?? 'shop',
      uid: uid ?? `uid-${name ?? 'web'}`,
      resourceVersion: '1',
    },
    kind: 'Deployment',
    createdAt: 900,
    annotatedAt: rest.createdAt ?? 900,
    labels: {},
    deleting: false,
    annotations,
    templateAnnotations,
    pod,
    containers: pod.containers.map((container) => ({ name: container.name, envCount: 0 })),
    slots: [],
    hasTemplateAnnotations: Object.keys(templateAnnotations).length > 0,
    hasAnnotations: Object.keys(annotations).length > 0,
    templateDigest: 'template',
    templateWrittenAt: 900,
    templateWrittenBy: '',
    rollout: {
      generation: 1,
      observedGeneration: 1,
      wanted: 1,
      updated: 1,
      available: 1,
      total: 1,
      deadlineExceeded: false,
      paused: false,
      waits: undefined,
    },
    controlledBy: undefined,
    finished: false,
    workloadRef: undefined,
    selector: { matchLabels: { app: name ?? 'web' } },
    ...rest,
  };
}

/** A pod spec whose container `app` mounts or reads these sources with all keys. */
export function usingPodSpec(
  ...uses: readonly { readonly kind: SourceKind; readonly name: string }[]
): NonNullable<Parameters<typeof podFacts>[0]> {
  const csi = uses.filter(({ kind }) => kind === 'SecretProviderClass');
  return {
    volumes: csi.map(({ name }, index) => ({
      name: `csi-${index}`,
      csi: { volumeAttributes: { secretProviderClass: name } },
    })),
    containers: [
      {
        name: 'app',
        volumeMounts: csi.map((_, index) => ({ name: `csi-${index}` })),
        envFrom: uses
          .filter(({ kind }) => kind !== 'SecretProviderClass')
          .map(({ kind, name }) =>
            kind === 'ConfigMap' ? { configMapRef: { name } } : { secretRef: { name } },
          ),
      },
    ],
  };
}

/** A target `Deployment/shop/web`. */
export function targetFacts(overrides: Partial<TargetFacts> = {}): TargetFacts {
  return { kind: 'Deployment', namespace: 'shop', name: 'web', requireReference: false, ...overrides };
}

/** A ReloaderConfig `rules` in `shop` with the target `Deployment/shop/web` and nothing watched. */
export function configFacts({ name, namespace, uid, ...rest }: Named<ConfigFacts> = {}): ConfigFacts {
  return {
    metadata: {
      name: name ?? 'rules',
      namespace: namespace ?? 'shop',
      uid: uid ?? `uid-${name ?? 'rules'}`,
      resourceVersion: '1',
    },
    generation: 1,
    createdAt: 500,
    specWrittenAt: rest.createdAt ?? 500,
    ignored: false,
    secrets: [],
    configMaps: [],
    namespaceSelector: undefined,
    resourceSelector: undefined,
    matchLabels: {},
    enableTargetedReload: false,
    autoReloadAll: false,
    ignoreResources: [],
    windows: [],
    maxWaitMs: undefined,
    approval: undefined,
    rateLimit: undefined,
    maxConcurrent: undefined,
    verify: undefined,
    onFailure: undefined,
    condition: undefined,
    canary: undefined,
    validate: [],
    reloadOnCreate: undefined,
    reloadOnDelete: undefined,
    rolloutStrategy: undefined,
    reloadStrategy: undefined,
    pausePeriodMs: undefined,
    settleMs: undefined,
    batchWindowMs: undefined,
    targets: [targetFacts()],
    alerts: [],
    problems: [],
    status: {},
    ...rest,
  };
}

export function namespaceFacts({
  name = 'shop',
  ...rest
}: Partial<Omit<NamespaceFacts, 'metadata'>> & { readonly name?: string } = {}): NamespaceFacts {
  return {
    metadata: { name, uid: `uid-${name}`, resourceVersion: '1' },
    labels: { 'kubernetes.io/metadata.name': name },
    annotations: {},
    deleting: false,
    ...rest,
  };
}

/** The default values of all flags. */
export function defaultSettings(overrides: Partial<ReloaderSettings> = {}): ReloaderSettings {
  return {
    names: DEFAULT_ANNOTATIONS,
    autoReloadAll: false,
    reloadStrategy: 'env-vars',
    rolloutStrategy: 'rollout',
    reloadOnCreate: false,
    reloadOnDelete: false,
    settleMs: 1000,
    settleMaxMs: 10_000,
    batchWindowMs: 0,
    maxUnfinishedRollouts: 0,
    warnFanOut: 100,
    reloadRate: undefined,
    rolloutDeadlineMs: 900_000,
    mode: 'reload',
    verify: false,
    restoreConfigMaps: false,
    keyLevel: false,
    digest: 'keyed',
    takeover: 'adopt',
    recreate: 'reload',
    cronJobStrategy: 'next-run',
    finishedJobs: 'run',
    allowCrossNamespace: false,
    namespaceDefaults: false,
    reloadOnGenerated: false,
    writeSourceHash: false,
    ignoredSources: new Set(),
    ignoredWorkloads: new Set(),
    namespaces: [],
    namespacesToIgnore: new Set(),
    namespaceSelector: undefined,
    resourceLabelSelector: '',
    argoRollouts: false,
    csi: false,
    webhookUrl: undefined,
    operatorNamespace: 'reloader',
    operatorName: 'reloader',
    ...overrides,
  };
}
