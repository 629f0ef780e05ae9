/**
 * A kubelet for the pods of one image, on a control plane without containers.
 *
 * In: a control plane whose KWOK starts pods with the annotation in `podAnnotations` but never makes them ready. Out:
 * a process per pod; the pod is Ready while its readiness probe succeeds, and its process ends with it.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Cached,
  createClient,
  createInformer,
  type KubernetesObject,
  kinds,
  loadConfig,
  type ResourceType,
  systemClock,
} from '@reloader/runtime';
import { createCapturingLogger } from '@reloader/runtime/testing';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { freePorts } from '../control-plane/ports.ts';
import { behaviourAnnotation, behaviours } from '../control-plane/stages.ts';
import { PodProcess } from './pod-process.ts';

/** For `reloader.deployment.pod.annotations`: this kubelet sets the readiness, not KWOK. */
export const podAnnotations = { [behaviourAnnotation]: behaviours.neverReady };

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string };
    readonly secretKeyRef?: { readonly name: string; readonly key: string };
  };
}

interface Probe {
  readonly httpGet: { readonly path: string };
}

interface PodObject extends KubernetesObject {
  readonly spec: {
    readonly serviceAccountName: string;
    readonly terminationGracePeriodSeconds: number;
    readonly containers: readonly {
      readonly image: string;
      readonly args?: readonly string[];
      readonly env?: readonly Variable[];
      readonly resources?: { readonly limits?: { readonly memory?: string } };
      readonly livenessProbe: Probe;
      readonly readinessProbe: Probe;
    }[];
  };
  readonly status?: { readonly phase?: string };
}

interface PodFacts extends Cached {
  readonly pod: PodObject;
}

export interface RunningPod {
  readonly namespace: string;
  readonly name: string;
  readonly account: string;
  readonly process: PodProcess;
}

export interface KubeletOptions {
  /** Runs the pods whose image begins with this. */
  readonly image: string;
  /** The file that Node runs in place of the image. */
  readonly program: string;
  /** Another Node than that of the test. */
  readonly node?: string;
}

const PROBE_EVERY = 100;

export class Kubelet {
  readonly #cluster: ControlPlane;
  readonly #options: KubeletOptions;
  readonly #pods = new Map<string, RunningPod>();
  readonly #ended = new AbortController();
  readonly #working = new Set<Promise<void>>();
  readonly errors: unknown[] = [];
  /** Of all pods so far: how long each took to stop, in milliseconds. */
  readonly stops: number[] = [];

  constructor(cluster: ControlPlane, options: KubeletOptions) {
    this.#cluster = cluster;
    this.#options = options;
  }

  get pods(): readonly RunningPod[] {
    return [...this.#pods.values()];
  }

  /** Runs until `stop`. */
  async start(): Promise<void> {
    const client = createClient({ config: await loadConfig({ kubeconfig: this.#cluster.kubeconfig }) });
    const { logger } = createCapturingLogger();
    const informer = createInformer<PodObject, PodFacts>({
      client,
      type: kinds.Pod as ResourceType<PodObject>,
      project: (pod) => ({ metadata: pod.metadata as Cached['metadata'], pod }),
      clock: systemClock,
      logger,
    });
    informer.addHandler((event) => {
      const { pod } = event.object;
      if (!pod.spec.containers[0]?.image.startsWith(this.#options.image)) return;
      if (event.type === 'delete') this.#track(this.#remove(pod));
      else if (pod.status?.phase === 'Running') this.#track(this.#run(pod));
    });
    this.#track(informer.run(this.#ended.signal).finally(() => client.close()));
    await informer.whenSynced();
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await Promise.all(this.pods.map(({ process }) => process.stop()));
    await Promise.all([...this.#working]);
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        if (!this.#ended.signal.aborted) this.errors.push(error);
      })
      .finally(() => this.#working.delete(tracked));
    this.#working.add(tracked);
  }

  async #run(pod: PodObject): Promise<void> {
    const { namespace = '', name = '', uid = '' } = pod.metadata ?? {};
    if (this.#pods.has(uid)) return;
    const [container] = pod.spec.containers;
    const [port, metricsPort] = await freePorts(2);
    if (!container || port === undefined || metricsPort === undefined || this.#pods.has(uid)) return;
    const account = pod.spec.serviceAccountName;
    const directory = join(this.#cluster.directory, 'pods', uid);
    const env = await this.#environment(pod, container.env ?? []);
    const started = new PodProcess({
      program: this.#options.program,
      ...(this.#options.node && { node: this.#options.node }),
      args: container.args ?? [],
      nodeFlags: env.NODE_OPTIONS ? [] : heapFlags(container.resources?.limits?.memory),
      env,
      port,
      metricsPort,
      server: new URL(this.#cluster.server),
      account: {
        token: await this.#token(namespace, account),
        authority: this.#cluster.authority.certificate,
        namespace,
      },
      directory,
      graceSeconds: pod.spec.terminationGracePeriodSeconds,
    });
    if (this.#pods.has(uid) || this.#ended.signal.aborted) return;
    this.#pods.set(uid, { namespace, name, account, process: started });
    await started.start();
    await this.#probe(pod, started, container.readinessProbe.httpGet.path);
  }

  /** Sets the pod's Ready condition to the result of the probe, once for each change. */
  async #probe(pod: PodObject, process: PodProcess, path: string): Promise<void> {
    const { namespace = '', name = '', uid = '' } = pod.metadata ?? {};
    let told = false;
    while (this.#pods.has(uid) && !this.#ended.signal.aborted) {
      const ready = (await process.probe(path)) === 200;
      if (ready !== told && this.#pods.has(uid)) {
        await this.#tell(namespace, name, ready);
        told = ready;
      }
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY));
    }
  }

  async #tell(namespace: string, name: string, ready: boolean): Promise<void> {
    const status = ready ? 'True' : 'False';
    const at = new Date().toISOString().replace(/\.\d+Z/, 'Z');
    const { status: code, body } = await this.#cluster.api.send(
      `/api/v1/namespaces/${namespace}/pods/${name}/status`,
      {
        method: 'PATCH',
        contentType: 'application/strategic-merge-patch+json',
        body: {
          status: {
            conditions: ['ContainersReady', 'Ready'].map((type) => ({
              type,
              status,
              lastTransitionTime: at,
            })),
          },
        },
      },
    );
    if (code >= 300 && code !== 404) throw new Error(`the status of pod ${name} cannot be written: ${body}`);
  }

  async #remove(pod: PodObject): Promise<void> {
    const uid = pod.metadata?.uid ?? '';
    const running = this.#pods.get(uid);
    if (!running) return;
    this.stops.push(await running.process.stop());
    this.#pods.delete(uid);
    await rm(join(this.#cluster.directory, 'pods', uid), { recursive: true, force: true });
  }

  async #token(namespace: string, account: string): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { status } = await this.#cluster.api.call(path, { method: 'POST', body });
    return (status as { token: string }).token;
  }

  async #environment(pod: PodObject, variables: readonly Variable[]): Promise<Record<string, string>> {
    const values: Record<string, string> = {};
    for (const { name, value, valueFrom } of variables) {
      if (valueFrom?.fieldRef) values[name] = fieldOf(pod, valueFrom.fieldRef.fieldPath);
      else if (valueFrom?.secretKeyRef) values[name] = await this.#secretValue(pod, valueFrom.secretKeyRef);
      else values[name] = value ?? '';
    }
    return values;
  }

  async #secretValue(pod: PodObject, { name, key }: { name: string; key: string }): Promise<string> {
    const path = `/api/v1/namespaces/${pod.metadata?.namespace}/secrets/${name}`;
    const { data } = (await this.#cluster.api.call(path)) as { data?: Record<string, string> };
    const value = data?.[key];
    if (value === undefined) throw new Error(`Secret ${name} has no key ${key}`);
    return Buffer.from(value, 'base64').toString();
  }
}

/** Node's heap limit in a container with this memory limit, which this machine does not enforce: half of it. */
function heapFlags(limit: string | undefined): string[] {
  const mebibytes = /^(\d+)Mi$/.exec(limit ?? '')?.[1];
  return mebibytes === undefined ? [] : [`--max-old-space-size=${Math.floor(Number(mebibytes) / 2)}`];
}

function fieldOf(pod: PodObject, path: string): string {
  const value = path
    .split('.')
    .reduce<unknown>((object, key) => (object as Record<string, unknown> | undefined)?.[key], pod);
  if (typeof value !== 'string') throw new Error(`a pod has no field ${path}`);
  return value;
}
