/** The verbs of a scenario: actions of users, and what they read afterwards. All of them work on either stage. */
import {
  AlreadyExistsError,
  type Condition,
  type JsonPatchOperation,
  type KubernetesObject,
  kinds,
  NotFoundError,
  type ResourceType,
} from '@reloader/runtime';
import { expect } from 'vitest';
import type { ChronicleObject, Ref } from './chronicle.ts';
import { ReloaderConfig, typeOf } from './kinds.ts';
import type { LedgerView } from './ledger-view.ts';
import { CANARY, PREFIX } from './names.ts';
import { fullName, fullNames, type Manifest, type WorkloadOptions, workload } from './objects.ts';
import { recordNow } from './records.ts';
import { rolloutsOf, templateOf } from './rollouts.ts';
import type { Operator, OperatorOptions, Stage } from './stage.ts';

export interface SourceOptions {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly binary?: Readonly<Record<string, string>>;
}

/** Conditions in which a scenario ends on purpose; the checks ignore them. */
export interface Allowance {
  /** A change is pending when the scenario ends. */
  pending?: boolean;
  /** The operator may leave a Deployment paused. */
  paused?: boolean;
  /** Reloads that no content explains: repeated reverts, `--takeover=catch-up`. Of all workloads, or of these names. */
  unexplained?: boolean | readonly string[];
  /** An operator exits by itself. */
  failure?: boolean;
  /** The operator writes to sources because a setting asks for it. */
  sourceWrites?: boolean;
  /** The operator restores ConfigMaps and keeps copies of them. */
  restores?: boolean;
}

export class Scene {
  readonly stage: Stage;
  readonly allow: Allowance = {};

  constructor(stage: Stage) {
    this.stage = stage;
  }

  get namespace(): string {
    return this.stage.namespace;
  }

  get isVirtual(): boolean {
    return this.stage.kind === 'minicluster';
  }

  operator(options: OperatorOptions = {}): Promise<Operator> {
    return this.stage.startOperator(options);
  }

  /** Creates the ConfigMap, or sets its data. */
  async configMap(name: string, data: Record<string, string>, options: SourceOptions = {}): Promise<void> {
    await this.#source(
      kinds.ConfigMap,
      name,
      { data, ...(options.binary && { binaryData: options.binary }) },
      options,
    );
  }

  /** Every value begins with the canary, so that the checks find it wherever it leaks. */
  async secret(name: string, values: Record<string, string>, options: SourceOptions = {}): Promise<void> {
    const encoded = Object.entries(values).map(([key, value]) => [key, secretValue(value)]);
    await this.#source(kinds.Secret, name, { data: Object.fromEntries(encoded) }, options);
  }

  async #source(type: ResourceType, name: string, content: object, options: SourceOptions): Promise<void> {
    const namespace = options.namespace ?? this.namespace;
    const metadata = {
      name,
      namespace,
      ...(options.labels && { labels: { ...options.labels } }),
      ...(options.annotations && { annotations: fullNames(options.annotations) }),
    };
    const { apiVersion, kind } = { apiVersion: 'v1', kind: type.kind };
    try {
      await this.stage.client.create(
        type,
        { apiVersion, kind, metadata, ...content },
        { fieldManager: 'user' },
      );
    } catch (error) {
      if (!(error instanceof AlreadyExistsError)) throw error;
      const operations: JsonPatchOperation[] = Object.entries(content).map(([field, value]) => ({
        op: 'add',
        path: `/${field}`,
        value,
      }));
      const { labels, annotations } = metadata;
      if (labels) operations.push({ op: 'add', path: '/metadata/labels', value: labels });
      if (annotations) operations.push({ op: 'add', path: '/metadata/annotations', value: annotations });
      await this.stage.client.patch(
        type,
        { namespace, name },
        { type: 'json', operations },
        { fieldManager: 'user' },
      );
    }
  }

  async remove(kind: string, name: string, namespace = this.namespace): Promise<void> {
    const propagationPolicy = 'Background';
    await this.stage.client.delete(typeOf(kind), { namespace, name }, { propagationPolicy });
  }

  deployment(name: string, options: WorkloadOptions = {}): Promise<Ref> {
    return this.workload('Deployment', name, options);
  }

  async workload(kind: string, name: string, options: WorkloadOptions = {}): Promise<Ref> {
    return this.create(workload(kind, name, options.namespace ?? this.namespace, options));
  }

  /** Creates it and waits until its pods run, so that later edits are changes and not part of the start. */
  async create(manifest: Manifest): Promise<Ref> {
    const { kind } = manifest;
    const { namespace, name } = manifest.metadata;
    await this.stage.client.create(typeOf(kind), manifest, { fieldManager: 'user' });
    const ref = { kind, namespace, name };
    await this.running(ref);
    return ref;
  }

  /** Waits until the workload's controller has finished. */
  async running(ref: Ref): Promise<void> {
    if (!['Deployment', 'StatefulSet', 'DaemonSet'].includes(ref.kind)) return;
    await this.stage.until(`${ref.kind} ${ref.name} to run`, () => {
      const live = this.stage.chronicle.now(ref);
      if (!live) return false;
      const status = (live.status ?? {}) as Record<string, number | undefined>;
      const wanted = Number(live.spec?.replicas ?? status.desiredNumberScheduled ?? 0);
      if (status.observedGeneration !== live.metadata.generation) return false;
      if (ref.kind === 'DaemonSet' && status.desiredNumberScheduled === undefined) return false;
      if (live.spec?.paused === true || wanted === 0) return true;
      const updated = status.updatedReplicas ?? status.updatedNumberScheduled ?? 0;
      const ready = status.readyReplicas ?? status.numberReady ?? 0;
      return updated >= wanted && ready >= wanted;
    });
  }

  /** Creates or changes a ReloaderConfig. */
  async config(name: string, spec: object, options: SourceOptions = {}): Promise<Ref> {
    const namespace = options.namespace ?? this.namespace;
    const { apiVersion, kind } = { apiVersion: 'reloader.stakater.com/v1alpha1', kind: 'ReloaderConfig' };
    const metadata = {
      name,
      namespace,
      ...(options.annotations && { annotations: fullNames(options.annotations) }),
    };
    const object = { apiVersion, kind, metadata, spec: spec as Record<string, unknown> };
    try {
      await this.stage.client.create(ReloaderConfig, object, { fieldManager: 'user' });
    } catch (error) {
      if (!(error instanceof AlreadyExistsError)) throw error;
      const operations = [{ op: 'add' as const, path: '/spec', value: spec }];
      await this.stage.client.patch(
        ReloaderConfig,
        metadata,
        { type: 'json', operations },
        { fieldManager: 'user' },
      );
    }
    return { kind, namespace, name };
  }

  /** Sets annotations of any object (null removes one). */
  async annotate(ref: Ref, annotations: Readonly<Record<string, string | null>>): Promise<void> {
    const named = Object.fromEntries(
      Object.entries(annotations).map(([name, value]) => [fullName(name), value]),
    );
    await this.merge(ref, { metadata: { annotations: named } });
  }

  /** A merge patch by a user. */
  async merge(ref: Ref, body: object): Promise<void> {
    const key = ref.kind === 'Namespace' ? { name: ref.name } : { namespace: ref.namespace, name: ref.name };
    const patch = { type: 'merge', body } as const;
    await this.#recorded(
      ref,
      await this.stage.client.patch(typeOf(ref.kind), key, patch, { fieldManager: 'user' }),
    );
  }

  /** Waits until a write is in the chronicle: otherwise `running` may look at the version before it. */
  async #recorded(ref: Ref, { metadata }: KubernetesObject): Promise<void> {
    const { chronicle } = this.stage;
    if (!chronicle.now(ref)) return;
    const at = Number(metadata?.resourceVersion);
    await this.stage.until(`the write to ${ref.name} to be recorded`, () =>
      chronicle.of(ref).some(({ revision }) => revision >= at),
    );
  }

  /** Sets another image, as a deployment tool does. */
  async image(ref: Ref, image: string): Promise<void> {
    const operations = [
      { op: 'replace' as const, path: '/spec/template/spec/containers/0/image', value: image },
    ];
    const patch = { type: 'json', operations } as const;
    await this.#recorded(
      ref,
      await this.stage.client.patch(typeOf(ref.kind), ref, patch, { fieldManager: 'user' }),
    );
  }

  live(ref: Ref): ChronicleObject {
    const found = this.stage.chronicle.now(ref);
    if (!found) throw new Error(`${ref.kind} ${ref.namespace}/${ref.name} does not exist`);
    return found;
  }

  exists(ref: Ref): boolean {
    return this.stage.chronicle.now(ref) !== undefined;
  }

  ref(kind: string, name: string, namespace = this.namespace): Ref {
    return { kind, namespace, name };
  }

  /** The number of changes of its pod template since its creation, by any writer. */
  rollouts(ref: Ref): number {
    return rolloutsOf(this.stage.chronicle.of(ref));
  }

  /** The record of the workload, from its ledger and the notebook. */
  record(ref: Ref): LedgerView | undefined {
    return recordNow(this.stage.chronicle, ref);
  }

  template(ref: Ref): ReturnType<typeof templateOf> {
    return templateOf(this.live(ref));
  }

  /** Environment variables of one container, by name. */
  env(ref: Ref, container = 0): Record<string, string> {
    const { containers = [] } = this.template(ref).spec ?? {};
    const entries = (containers[container]?.env ?? []).map(({ name, value = '' }) => [name, value] as const);
    return Object.fromEntries(entries);
  }

  /** Waits until the workloads are recorded: later edits count as changes. */
  async adopted(...refs: readonly Ref[]): Promise<void> {
    for (const ref of refs) {
      await this.stage.until(`${ref.name} to be adopted`, () => this.record(ref) !== undefined);
    }
    await this.stage.quiet();
  }

  /** Expects exactly so many rollouts, now and when everything is at rest. */
  async rolled(...expected: readonly (readonly [Ref, number])[]): Promise<void> {
    const wanted = Object.fromEntries(expected.map(([ref, count]) => [`${ref.kind}/${ref.name}`, count]));
    const actual = () =>
      Object.fromEntries(expected.map(([ref]) => [`${ref.kind}/${ref.name}`, this.rollouts(ref)]));
    await this.stage
      .until('the rollouts', () => expected.every(([ref, count]) => this.rollouts(ref) >= count))
      .catch(() => expect(actual(), this.#story()).toEqual(wanted));
    await this.stage.quiet();
    expect(actual(), this.#story()).toEqual(wanted);
  }

  /** Jobs that were created from this CronJob. */
  jobsOf(ref: Ref): ChronicleObject[] {
    return this.stage.chronicle
      .all('Job', ref.namespace)
      .filter(({ metadata }) =>
        metadata.ownerReferences?.some(({ kind, name }) => kind === 'CronJob' && name === ref.name),
      );
  }

  events(about: Ref): { type: string; reason: string; message: string }[] {
    return this.stage.chronicle.all('Event').flatMap((event) => {
      const plain = event as unknown as {
        involvedObject?: { kind?: string; name?: string };
        type?: string;
        reason?: string;
        message?: string;
      };
      const { involvedObject, type = '', reason = '', message = '' } = plain;
      const same = involvedObject?.kind === about.kind && involvedObject.name === about.name;
      return same && event.metadata.namespace === about.namespace ? [{ type, reason, message }] : [];
    });
  }

  status(config: Ref): ConfigStatus {
    return (this.stage.chronicle.now(config)?.status ?? {}) as ConfigStatus;
  }

  /** Expects exactly so many reloads in the status, which the operator writes within half a second. */
  async counted(config: Ref, count: number): Promise<void> {
    const actual = (): number => this.status(config).reloadCount ?? 0;
    await this.stage.until('the count', () => actual() >= count, 10_000).catch(() => undefined);
    expect(actual(), `${config.name} counts`).toBe(count);
  }

  condition(config: Ref, type: string): Condition | undefined {
    return this.status(config).conditions?.find((condition) => condition.type === type);
  }

  /** Waits until a condition has this status, and returns it. */
  async conditionIs(config: Ref, type: string, status: 'True' | 'False', text?: string): Promise<Condition> {
    await this.stage
      .until(`${config.name} ${type}=${status}`, () => {
        const found = this.condition(config, type);
        return (
          found?.status === status &&
          (text === undefined || `${found.reason} ${found.message}`.includes(text))
        );
      })
      .catch((error: unknown) => {
        throw new Error(`${String(error)}; conditions: ${JSON.stringify(this.status(config).conditions)}`);
      });
    return this.condition(config, type) as Condition;
  }

  /** Writes of operators to a resource, without subresources; refused requests count. */
  async writesTo(resource: string): Promise<string[]> {
    const reads = new Set(['get', 'list', 'watch']);
    return (await this.stage.requests())
      .filter((request) => request.resource === resource && request.subresource === '')
      .filter(({ verb }) => !reads.has(verb))
      .map(({ verb, namespace, name, body }) => `${verb} ${namespace}/${name || nameIn(body)}`);
  }

  /** True if any operator has logged this text. */
  said(text: string): boolean {
    return this.stage.operators.some(({ log }) =>
      log.some(({ message, values }) => `${message} ${JSON.stringify(values)}`.includes(text)),
    );
  }

  async gone(ref: Ref): Promise<void> {
    await this.stage.until(`${ref.name} to be gone`, () => !this.exists(ref));
  }

  async get(kind: string, name: string, namespace = this.namespace): Promise<ChronicleObject | undefined> {
    const key = kind === 'Namespace' ? { name } : { namespace, name };
    try {
      return (await this.stage.client.get(typeOf(kind), key)) as unknown as ChronicleObject;
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  #story(): string {
    const lines = this.stage.operators.flatMap(({ log }) => log.slice(-12));
    return `\n${lines.map(({ level, message, values }) => `  ${level} ${message} ${JSON.stringify(values)}`).join('\n')}\n`;
  }
}

/** In a create request, only the body has the name. */
function nameIn(body: unknown): string {
  return (body as { metadata?: { name?: string } } | undefined)?.metadata?.name ?? '';
}

export const secretValue = (value: string): string => Buffer.from(`${CANARY}${value}`).toString('base64');
export const annotationsOf = (object: ChronicleObject): Readonly<Record<string, string>> =>
  object.metadata.annotations ?? {};
export const own = (name: string): string => `${PREFIX}/${name}`;

export interface ConfigStatus {
  readonly conditions?: readonly Condition[];
  readonly observedGeneration?: number;
  readonly watchedResourceHashes?: Readonly<Record<string, string>>;
  readonly reloadCount?: number;
  readonly lastReloadTime?: string;
  readonly strategy?: string;
  readonly pending?: string;
  readonly targetStatus?: readonly {
    readonly kind: string;
    readonly name: string;
    readonly namespace: string;
    readonly reloadCount?: number;
    readonly lastReloadTime?: string;
    readonly pausedUntil?: string;
    readonly deferredReason?: string;
    readonly deferredUntil?: string;
    readonly pendingSince?: string;
    readonly change?: string;
    readonly lastError?: string;
  }[];
}
