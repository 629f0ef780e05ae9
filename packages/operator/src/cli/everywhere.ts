/** Objects that a command names, in its namespace or, with -A, in all namespaces that have one of that name. */
import { type KubernetesObject, listPages, type ResourceType } from '@reloader/runtime';
import { CommandFailure } from './failure.ts';
import { clusterOf, type Session } from './session.ts';

export interface Placed<K extends string> {
  readonly kind: K;
  readonly namespace: string;
  readonly name: string;
}

export async function placed<K extends string>(
  named: readonly { readonly kind: K; readonly name: string }[],
  types: Readonly<Record<K, ResourceType<KubernetesObject>>>,
  allNamespaces: boolean,
  session: Session,
): Promise<readonly Placed<K>[]> {
  if (!allNamespaces) return named.map((each) => ({ ...each, namespace: session.namespace }));
  const found: Placed<K>[] = [];
  for (const { kind, name } of named) {
    const places = await namespacesWith(types[kind], name, session);
    if (places.length === 0) throw new CommandFailure(`No namespace has a ${kind} named ${name}`);
    found.push(...places.map((namespace) => ({ kind, namespace, name })));
  }
  return found;
}

async function namespacesWith(
  type: ResourceType<KubernetesObject>,
  name: string,
  session: Session,
): Promise<readonly string[]> {
  const { client } = clusterOf(session);
  const options = {
    fieldSelector: `metadata.name=${name}`,
    metadataOnly: true,
    signal: session.io.signal,
  } as const;
  const namespaces: string[] = [];
  for await (const { items } of listPages(client, type, options))
    for (const { metadata } of items) namespaces.push(metadata.namespace ?? '');
  return namespaces.sort();
}
