/**
 * The state of a workload that must be the same in every cluster: its status and its dependents, without names,
 * identities, hashes and times.
 */
import type { Workload } from './plan.ts';

export interface ClusterObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
  };
  readonly [field: string]: unknown;
}

/** Objects that were read at about the same time. */
export interface Snapshot {
  readonly workloads: readonly ClusterObject[];
  readonly replicaSets: readonly ClusterObject[];
  readonly revisions: readonly ClusterObject[];
  readonly pods: readonly ClusterObject[];
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

interface PodTemplate {
  readonly spec: {
    readonly nodeName?: string;
    readonly containers: readonly { image: string; env?: { value: string }[] }[];
  };
}

type Fields = Readonly<Record<string, unknown>>;

const DEPLOYMENT = 'deployment.kubernetes.io';
const COPIED = ['revision', 'revision-history', 'desired-replicas', 'max-replicas'].map(
  (name) => `${DEPLOYMENT}/${name}`,
);
const REVISION_LABEL = 'controller-revision-hash';

export function stateOf(workload: Workload, snapshot: Snapshot): Fields | undefined {
  const object = snapshot.workloads.find(({ metadata }) => metadata.name === workload.name);
  if (!object) return undefined;
  switch (workload.kind) {
    case 'Deployment':
      return deploymentState(object, snapshot);
    case 'StatefulSet':
      return statefulSetState(object, snapshot);
    case 'DaemonSet':
      return daemonSetState(object, snapshot);
  }
}

function deploymentState(object: ClusterObject, snapshot: Snapshot): Fields {
  const replicaSets = ownedBy(object, snapshot.replicaSets)
    .map((set) => ({
      ...Object.fromEntries(COPIED.map((name) => [name, set.metadata.annotations?.[name]])),
      template: templateName(set),
      replicas: fields(set.spec).replicas,
      minReadySeconds: fields(set.spec).minReadySeconds ?? 0,
      status: counts(set),
      conditions: conditions(set),
      pods: tally(ownedBy(set, snapshot.pods).map(podName)),
    }))
    .sort((a, b) => text(a).localeCompare(text(b)));
  return {
    status: counts(object),
    observed: isObserved(object),
    conditions: conditions(object),
    revision: object.metadata.annotations?.[`${DEPLOYMENT}/revision`],
    replicaSets,
  };
}

function statefulSetState(object: ClusterObject, snapshot: Snapshot): Fields {
  const { currentRevision, updateRevision } = fields(object.status);
  const pods = ownedBy(object, snapshot.pods).map((pod) => {
    const ordinal = pod.metadata.name.slice(object.metadata.name.length + 1);
    const updated = pod.metadata.labels?.[REVISION_LABEL] === updateRevision;
    return [ordinal, `${podName(pod)}${updated ? ' updated' : ''}`];
  });
  return {
    status: counts(object),
    observed: isObserved(object),
    isRolledOut: currentRevision === updateRevision,
    conditions: conditions(object),
    revisions: revisionsOf(object, snapshot),
    pods: Object.fromEntries(pods),
  };
}

/** The order of nodes is random in a real cluster, so pods are counted and not placed. */
function daemonSetState(object: ClusterObject, snapshot: Snapshot): Fields {
  const pods = ownedBy(object, snapshot.pods);
  const revisions = revisionsOf(object, snapshot);
  const perNode = tally(pods.map((pod) => (pod as unknown as PodTemplate).spec.nodeName ?? 'none'));
  return {
    status: counts(object),
    observed: isObserved(object),
    conditions: conditions(object),
    // A revision in use is not deleted, so which one is deleted depends on the order of the pod deletions.
    revisions: { count: Object.keys(revisions).length, newest: Object.entries(revisions).at(-1) },
    pods: tally(pods.map(podName)),
    podsPerNode: Object.values(perNode).sort(),
  };
}

/** Revisions by number, with their templates. */
function revisionsOf(owner: ClusterObject, { revisions }: Snapshot): Fields {
  const named = ownedBy(owner, revisions).map((revision) => {
    const { template } = fields(fields(revision.data).spec);
    return [String(revision.revision), templateName({ ...revision, spec: { template } })];
  });
  return Object.fromEntries(named);
}

/** All numbers of a status; an absent count differs from zero, as for clients. */
function counts(object: ClusterObject): Fields {
  const numbers = Object.entries(fields(object.status)).filter(
    ([name, value]) => typeof value === 'number' && name !== 'observedGeneration',
  );
  return Object.fromEntries(numbers.sort(([a], [b]) => a.localeCompare(b)));
}

function conditions(object: ClusterObject): string[] {
  const all = (fields(object.status).conditions ?? []) as readonly Condition[];
  return all.map(({ type, status, reason }) => sameByChance(`${type}=${status} ${reason ?? ''}`)).sort();
}

/**
 * In two cases it is random whether a Deployment's controller notices progress, so they count as progress noticed.
 * After a resume it depends on whether the new ReplicaSet reports its pods before or after the controller has recovered
 * from a conflict with its own write of that condition. After a new template it depends on whether the controller
 * reconciles once between creating the ReplicaSet and the event of its pods: if not, as many pods are up to date as
 * before, which it does not count as progress.
 */
const PROGRESS_BY_CHANCE = new Set([
  'Progressing=Unknown DeploymentResumed',
  'Progressing=True NewReplicaSetCreated',
]);

function sameByChance(condition: string): string {
  return PROGRESS_BY_CHANCE.has(condition) ? 'Progressing=True ReplicaSetUpdated' : condition;
}

function isObserved(object: ClusterObject): boolean {
  return fields(object.status).observedGeneration === object.metadata.generation;
}

function podName(pod: ClusterObject): string {
  const all = (fields(pod.status).conditions ?? []) as readonly Condition[];
  const ready = all.some(({ type, status }) => type === 'Ready' && status === 'True');
  const going = pod.metadata.deletionTimestamp ? ' terminating' : '';
  return `${contentName(pod as unknown as PodTemplate)}${ready ? ' ready' : ' unready'}${going}`;
}

function templateName(object: ClusterObject): string {
  return contentName(fields(object.spec).template as PodTemplate);
}

function contentName({ spec }: PodTemplate): string {
  const [container] = spec.containers;
  return `${container?.image} SETTING=${container?.env?.[0]?.value}`;
}

function ownedBy(owner: ClusterObject, objects: readonly ClusterObject[]): ClusterObject[] {
  const isOwner = ({ uid, controller }: { uid: string; controller?: boolean }): boolean =>
    controller === true && uid === owner.metadata.uid;
  return objects.filter(({ metadata }) => metadata.ownerReferences?.some(isOwner));
}

function tally(names: readonly string[]): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const name of [...names].sort()) counted[name] = (counted[name] ?? 0) + 1;
  return counted;
}

function fields(value: unknown): Fields {
  return (value ?? {}) as Fields;
}

function text(value: unknown): string {
  return JSON.stringify(value);
}
