/**
 * Where to look for the operator: by its labels in all namespaces that the caller may see, otherwise at the places of
 * the two ways to install it.
 */
import {
  type Client,
  type KubernetesObject,
  keyOf,
  keyString,
  type ResourceType,
  type Stored,
} from '@reloader/runtime';

/** The names in the chart and the manifests, and in `config/`; and the chart under another name (`nameOverride`). */
const LABELS = [
  'app.kubernetes.io/name in (reloader,reloader-operator)',
  'app.kubernetes.io/part-of=reloader',
];

export const OPERATOR_LABELS = LABELS.join(' or ');

/** The objects of a type that have one of the labels, each once. */
export async function labelledObjects<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly Stored<T>[]> {
  const found = new Map<string, Stored<T>>();
  for (const labelSelector of LABELS) {
    const scope = namespace === undefined ? {} : { namespace };
    const { items } = await client.list(type, { ...scope, labelSelector, signal });
    for (const item of items) found.set(keyString(keyOf(item)), item);
  }
  return [...found.values()];
}

export interface OperatorHome {
  readonly namespace: string;
  /** The name of the Deployment and of the Service. */
  readonly name: string;
}

/** The chart as the documentation installs it, and `make deploy`. */
const HOMES: readonly OperatorHome[] = [
  { namespace: 'reloader', name: 'reloader' },
  { namespace: 'reloader-operator-system', name: 'reloader-operator-controller-manager' },
];

/** `namespace`: the only one to look in, if given. */
export function operatorHomes(namespace: string | undefined): readonly OperatorHome[] {
  return namespace === undefined ? HOMES : HOMES.map(({ name }) => ({ namespace, name }));
}
