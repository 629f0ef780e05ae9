/** A cluster for tests of executors: minicluster or the real control plane, with the same interface. */
import {
  type Client,
  type Clock,
  type KubernetesObject,
  kinds,
  type ResourceType,
  type Stored,
} from '@reloader/runtime';
import { createCapturingLogger } from '@reloader/runtime/testing';
import { DEFAULT_ANNOTATIONS, FIXED_ANNOTATIONS } from '../model/annotations.ts';
import { WORKLOAD_TYPES } from '../model/kinds.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Outcome, ReloadPlan } from '../model/plan.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { WorkloadFacts, WorkloadKind } from '../model/workload.ts';
import type { WorkloadObject, WorkloadSpec } from '../model/workload-object.ts';
import { workloadFacts } from '../project/workload-projection.ts';
import { defaultSettings } from '../want/world.test.support.ts';
import { createExecutor, type Executor } from './executor.ts';
import { cause } from './plan.test.support.ts';

export const NAMESPACE = 'shop';
export const OPERATOR_NAMESPACE = 'reloader';
/** Nothing in these tests is cancelled. */
export const never = new AbortController().signal;

export interface Stage {
  readonly client: Client;
  readonly clock: Clock;
  /** Advances the clock. */
  pass(ms: number): Promise<void>;
}

export interface Workshop {
  readonly client: Client;
  readonly executor: Executor;
  /** The progress notes: evictions by workload, re-created Jobs by their uid. */
  readonly notes: { readonly evicting: Map<string, string>; readonly jobs: Map<string, Ledger> };
  create(kind: WorkloadKind, name: string, spec: object, metadata?: object): Promise<Stored<WorkloadObject>>;
  facts(kind: WorkloadKind, name: string): Promise<WorkloadFacts>;
  read<T extends KubernetesObject>(type: ResourceType<T>, name: string): Promise<Stored<T>>;
  /** A plan made from the live object. */
  plan(kind: WorkloadKind, name: string, overrides?: Partial<ReloadPlan>): Promise<ReloadPlan>;
  /** Like the engine: plans again from the live object until nothing is left to do. Returns all outcomes. */
  drive(kind: WorkloadKind, name: string, overrides?: Partial<ReloadPlan>): Promise<Outcome[]>;
  until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T>;
  pods(app: string): Promise<Stored<kinds.PlainObject>[]>;
}

export function workshop(
  stage: Stage,
  settings: Partial<ReloaderSettings> = {},
  client = stage.client,
  notes: Workshop['notes'] = { evicting: new Map(), jobs: new Map() },
): Workshop {
  const executor = createExecutor({
    client,
    clock: stage.clock,
    logger: createCapturingLogger().logger,
    settings: defaultSettings({ operatorNamespace: OPERATOR_NAMESPACE, ...settings }),
    notes: {
      beginEviction: async ({ workload }, progress) => {
        notes.evicting.set(workload.metadata.uid, progress);
      },
      jobCreated: async ({ uid }, record) => {
        notes.jobs.set(uid, record);
      },
    },
    key: Buffer.from('a key that is no secret'),
    inScope: (namespace) => namespace === NAMESPACE,
  });
  const here: Workshop = {
    client: stage.client,
    executor,
    notes,
    async create(kind, name, spec, metadata = {}) {
      const type = WORKLOAD_TYPES[kind];
      const created = await stage.client.create(type, {
        metadata: { ...metadata, namespace: NAMESPACE, name },
        spec: spec as WorkloadSpec,
      });
      if (kind !== 'Deployment') return created;
      // Its controller adds an annotation, which would conflict with a plan made before.
      return here.until('the Deployment is seen by its controller', async () => {
        const seen = await here.read(type, name);
        return seen.status?.observedGeneration !== undefined && seen;
      });
    },
    read: (type, name) => stage.client.get(type, { namespace: NAMESPACE, name }),
    async facts(kind, name) {
      return workloadFacts(await here.read(WORKLOAD_TYPES[kind], name), kind, DEFAULT_ANNOTATIONS);
    },
    async plan(kind, name, overrides = {}) {
      const workload = await here.facts(kind, name);
      return {
        workload,
        ledgerBefore: workload.annotations[FIXED_ANNOTATIONS.ledger],
        ledgerAfter: ledger(workload.metadata.uid, 1),
        ledger: { uid: workload.metadata.uid, seq: 1, writtenAt: 1001, recent: [], sources: new Map() },
        recordBefore: undefined,
        evicting: notes.evicting.get(workload.metadata.uid),
        mark: '{"n":1,"s":{"cm/settings":"d1"}}',
        seq: 1,
        now: stage.clock.now(),
        causes: [cause({ container: 'main' })],
        configs: [],
        reloadStrategy: 'env-vars',
        rolloutStrategy: 'rollout',
        stakaterPauseMs: undefined,
        usedWords: {},
        cronJob: 'run',
        ...overrides,
      };
    },
    async drive(kind, name, overrides) {
      const outcomes: Outcome[] = [];
      for (let turn = 0; turn < 200; turn++) {
        const outcome = await executor.reload(await here.plan(kind, name, overrides), never);
        outcomes.push(outcome);
        if (outcome.kind !== 'continue') return outcomes;
        await stage.pass(outcome.afterMs);
      }
      throw new Error(`${kind} ${name} is not done after ${outcomes.length} turns`);
    },
    async until(what, look) {
      for (let turn = 0; turn < 300; turn++) {
        const seen = await look();
        if (seen) return seen;
        await stage.pass(200);
      }
      throw new Error(`In vain: ${what}`);
    },
    async pods(app) {
      const { items } = await stage.client.list(kinds.Pod, {
        namespace: NAMESPACE,
        labelSelector: `app=${app}`,
      });
      return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    },
  };
  return here;
}

export function ledger(uid: string, seq: number): string {
  return JSON.stringify({ v: 1, uid, seq, t: 1000 + seq, s: { 'cm/settings': `d${seq}` } });
}

export interface Container {
  readonly name: string;
  readonly env?: { readonly name: string; readonly value?: string }[];
}

export function podTemplate(app: string, containers: readonly Container[] = [{ name: 'main' }]) {
  return {
    metadata: { labels: { app } },
    spec: { containers: containers.map((container) => ({ image: 'none', ...container })) },
  };
}

export function jobPod(app: string) {
  const { metadata, spec } = podTemplate(app);
  return { metadata, spec: { ...spec, restartPolicy: 'Never' } };
}

export function replicated(app: string, replicas: number, containers?: readonly Container[]) {
  return { replicas, selector: { matchLabels: { app } }, template: podTemplate(app, containers) };
}

/** Minimal CRDs of Argo and OpenShift, enough to store objects. */
export function plainCrd(kind: 'Rollout' | 'DeploymentConfig') {
  const { group, version, plural } = WORKLOAD_TYPES[kind];
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}
