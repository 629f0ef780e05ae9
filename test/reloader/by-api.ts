/** The requests that kubectl and Helm send, for the stage on which they do not run. */
import { type Client, type Condition, type KubernetesObject, kinds, type Stored } from '@reloader/runtime';
import type { Ref } from './chronicle.ts';
import { ReloaderConfig, typeOf } from './kinds.ts';

/** Annotations of a Deployment that `kubectl rollout undo` does not restore with a revision. */
const OF_THE_REVISION = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'deployment.kubernetes.io/revision',
  'deployment.kubernetes.io/revision-history',
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
  'deprecated.deployment.rollback.to',
];

type Plain = Stored<kinds.PlainObject>;

/** Restores the template and annotations of the revision before the current one. */
export async function undoRollout(client: Client, { kind, namespace, name }: Ref): Promise<void> {
  if (kind !== 'Deployment') throw new Error(`undo of a ${kind} is not played here`);
  const live = await client.get(kinds.Deployment, { namespace, name });
  const { items } = await client.list(kinds.ReplicaSet, { namespace });
  const sets = items
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === live.metadata.uid))
    .sort((a, b) => revisionOf(b) - revisionOf(a));
  const previous = sets[1];
  if (!previous) throw new Error(`Deployment ${name} has no earlier revision`);
  const template = structuredClone(previous.spec?.template) as {
    metadata: { labels: Record<string, string> };
  };
  delete template.metadata.labels['pod-template-hash'];
  const annotations: Record<string, string> = {};
  for (const key of OF_THE_REVISION) {
    const value = live.metadata.annotations?.[key];
    if (value !== undefined) annotations[key] = value;
  }
  for (const [key, value] of Object.entries(previous.metadata.annotations ?? {})) {
    if (!OF_THE_REVISION.includes(key)) annotations[key] = value;
  }
  const operations = [
    { op: 'replace' as const, path: '/spec/template', value: template },
    { op: 'replace' as const, path: '/metadata/annotations', value: annotations },
  ];
  await client.patch(
    kinds.Deployment,
    { namespace, name },
    { type: 'json', operations },
    { fieldManager: 'kubectl' },
  );
}

const revisionOf = ({ metadata }: Plain): number =>
  Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);

/** PUT: removes the fields that the object does not have. */
export async function replaceWhole(client: Client, object: object): Promise<void> {
  const wanted = object as KubernetesObject & { kind: string };
  await client.update(typeOf(wanted.kind), wanted, { fieldManager: 'kubectl-replace' });
}

const HELM_ORDER = [
  'Namespace',
  'Secret',
  'ConfigMap',
  'DaemonSet',
  'Deployment',
  'StatefulSet',
  'Job',
  'CronJob',
];

/** In Helm's order of kinds, each as a merge of its own fields, as `helm upgrade` leaves the fields of others alone. */
export async function applyAsRelease(client: Client, objects: readonly object[]): Promise<void> {
  const rank = (object: object): number => HELM_ORDER.indexOf((object as { kind: string }).kind);
  for (const object of [...objects].sort((a, b) => rank(a) - rank(b))) {
    await applyOnServer(client, object, 'helm');
  }
}

export function applyAsKubectl(client: Client, object: object): Promise<void> {
  return applyOnServer(client, object, 'kubectl');
}

async function applyOnServer(client: Client, object: object, fieldManager: string): Promise<void> {
  const wanted = object as KubernetesObject & { kind: string };
  await client.apply(typeOf(wanted.kind), wanted as KubernetesObject, { fieldManager, force: true });
}

/**
 * The configs that `kubectl wait --for=condition=Ready` accepts: the condition is true and of the current generation.
 */
export async function readyConfigs(client: Client, namespace: string): Promise<string[]> {
  const { items } = await client.list(ReloaderConfig, { namespace });
  const conditionsOf = ({ status }: Plain): readonly Condition[] =>
    (status?.conditions ?? []) as readonly Condition[];
  const isReady = (config: Plain): boolean =>
    conditionsOf(config).some(
      ({ type, status, observedGeneration = config.metadata.generation }) =>
        type === 'Ready' && status === 'True' && observedGeneration === config.metadata.generation,
    );
  return items
    .filter(isReady)
    .map(({ metadata }) => metadata.name)
    .sort();
}
