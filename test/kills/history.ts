/**
 * The history of a fleet, from etcd: contents of sources, templates of workloads, living pods.
 *
 * In: versions in the order in which they were stored. Out: for every source and workload the revisions at which it
 * changed. Does not know what an operator writes: a template changed if it differs from the one before.
 */
import { isDeepStrictEqual } from 'node:util';
import type { StoredObject, Version } from './etcd-history.ts';
import { type Source, sourceId, type Workload, workloadId } from './fleet.ts';

const SOURCES: Readonly<Record<string, string>> = { configmaps: 'ConfigMap', secrets: 'Secret' };
const WORKLOADS: Readonly<Record<string, string>> = {
  deployments: 'Deployment',
  statefulsets: 'StatefulSet',
  daemonsets: 'DaemonSet',
};
const ROLLED = 'deployment.kubernetes.io/revision';

const LEDGER = 'reloader.stakater.com/ledger';

export interface TemplateChange {
  readonly revision: number;
  readonly template: unknown;
  /** The evidence that existed when the change was made. */
  readonly before: {
    /** The workload had a record of what it was last rolled out with. */
    readonly recorded: boolean;
    /** The living pods. */
    readonly pods: readonly Pod[];
  };
}

export interface Pod {
  readonly name: string;
  /** The revision at which it was created. */
  readonly created: number;
  /** The creation time of the API, in seconds since the epoch. */
  readonly second: number;
}

interface WorkloadRecord {
  object: StoredObject;
  readonly changes: TemplateChange[];
  /** The highest revision number that Kubernetes gave to its templates. */
  numbered: number;
}

interface SourceRecord {
  data: unknown;
  readonly changes: number[];
}

export class History {
  readonly #sources = new Map<string, SourceRecord>();
  readonly #workloads = new Map<string, WorkloadRecord>();
  readonly #pods = new Map<string, Pod & { readonly app: string }>();
  /** Times of changes of content, in seconds as the API has them, by revision. */
  readonly #seconds = new Map<number, number>();
  /** The highest revision seen. */
  revision = 0;

  readonly add = (version: Version): void => {
    this.revision = Math.max(this.revision, version.revision);
    const { plural, namespace, name, object } = version;
    if (plural === 'pods') this.#pod(version);
    if (object === undefined) return;
    if (SOURCES[plural]) this.#source(`${SOURCES[plural]}/${namespace}/${name}`, version.revision, object);
    if (WORKLOADS[plural])
      this.#workload(`${WORKLOADS[plural]}/${namespace}/${name}`, version.revision, object);
    if (plural === 'controllerrevisions') this.#controllerRevision(namespace, object);
  };

  /** Revisions at which its content changed. */
  contentChanges(source: Source): readonly number[] {
    return this.#sources.get(sourceId(source))?.changes ?? [];
  }

  templateChanges(workload: Workload): readonly TemplateChange[] {
    return this.#workloads.get(workloadId(workload))?.changes ?? [];
  }

  /** The number of different templates that Kubernetes counted, the first included. */
  numbered(workload: Workload): number {
    return this.#workloads.get(workloadId(workload))?.numbered ?? 0;
  }

  annotation(workload: Workload, name: string): string | undefined {
    return this.#workloads.get(workloadId(workload))?.object.metadata.annotations?.[name];
  }

  livingPods({ namespace, name }: Workload): Pod[] {
    const app = `${namespace}/${name}`;
    return [...this.#pods.values()].filter((pod) => pod.app === app);
  }

  /** The time of the change at this revision, in seconds since the epoch. */
  secondOf(revision: number): number | undefined {
    return this.#seconds.get(revision);
  }

  #source(id: string, revision: number, { data, metadata }: StoredObject): void {
    const known = this.#sources.get(id);
    if (known === undefined) {
      this.#sources.set(id, { data, changes: [] });
    } else if (!isDeepStrictEqual(known.data, data)) {
      known.data = data;
      known.changes.push(revision);
      const times = (metadata.managedFields ?? []).map(({ time }) => secondsOf(time));
      this.#seconds.set(revision, Math.max(secondsOf(metadata.creationTimestamp), ...times));
    }
  }

  #workload(id: string, revision: number, object: StoredObject): void {
    const numbered = Number(object.metadata.annotations?.[ROLLED] ?? 0);
    const known = this.#workloads.get(id);
    if (known === undefined) {
      this.#workloads.set(id, { object, changes: [], numbered });
      return;
    }
    const template = templateOf(object);
    if (!isDeepStrictEqual(templateOf(known.object), template)) {
      const app = id.slice(id.indexOf('/') + 1);
      const pods = [...this.#pods.values()].filter((pod) => pod.app === app);
      const recorded = known.object.metadata.annotations?.[LEDGER] !== undefined;
      known.changes.push({ revision, template, before: { recorded, pods } });
    }
    known.object = object;
    known.numbered = Math.max(known.numbered, numbered);
  }

  #controllerRevision(namespace: string, object: StoredObject): void {
    const [owner] =
      (object.metadata as { ownerReferences?: { kind: string; name: string }[] }).ownerReferences ?? [];
    const known = owner && this.#workloads.get(`${owner.kind}/${namespace}/${owner.name}`);
    if (known) known.numbered = Math.max(known.numbered, Number(object.revision ?? 0));
  }

  #pod({ namespace, name, object, created }: Version): void {
    const id = `${namespace}/${name}`;
    const app = object?.metadata.labels?.app;
    if (app === undefined || object?.metadata.deletionTimestamp !== undefined) this.#pods.delete(id);
    else {
      const second = secondsOf(object?.metadata.creationTimestamp);
      this.#pods.set(id, { name, created, second, app: `${namespace}/${app}` });
    }
  }
}

const templateOf = ({ spec }: StoredObject): unknown =>
  (spec as { template?: unknown } | undefined)?.template;

const secondsOf = (time: string | undefined): number =>
  time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
