/** Discovery of a kind and its subresources, used by both forms. */
import { apiVersionOf, type Kind } from '../../kinds/index.ts';
import { subresources } from '../subresources/index.ts';

export interface SubresourceEntry {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
}

/** Subresources that carry another kind than their object. */
const KINDS: Readonly<Record<string, SubresourceEntry['kind']>> = {
  scale: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  eviction: { group: 'policy', version: 'v1', kind: 'Eviction' },
  token: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
  binding: { group: '', version: '', kind: 'Binding' },
};

/** Only served subresources: a client must not run into a 501. */
export function subresourceEntries(kind: Kind): SubresourceEntry[] {
  const custom = kind.definition === undefined;
  const names = [
    ...(kind.subresources ?? []),
    ...(kind.hasStatus ? ['status'] : []),
    ...(kind.scale ? ['scale'] : []),
  ];
  if (!custom) names.sort();
  return names.flatMap((name) => {
    const verbs = subresources(kind, name);
    if (!verbs) return [];
    const own = custom ? kind : { group: '', version: '', kind: kind.kind };
    const { group, version, kind: title } = KINDS[name] ?? own;
    return [{ name, verbs: Object.keys(verbs).sort(), kind: { group, version, kind: title } }];
  });
}

/** The same verbs, in the server's order. */
const CUSTOM_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const verbsOf = (kind: Kind): readonly string[] =>
  kind.definition === undefined ? CUSTOM_VERBS : kind.verbs;

/** `GET /apis/GROUP/VERSION`. */
export function resourceList(kinds: readonly Kind[], groupVersion: string): object {
  const resources = [...kinds].sort((a, b) => (a.plural < b.plural ? -1 : 1)).flatMap(resourceEntries);
  // The core group predates the field.
  const typed = groupVersion === 'v1' ? {} : { apiVersion: 'v1' };
  return { kind: 'APIResourceList', ...typed, groupVersion, resources };
}

function resourceEntries(kind: Kind): object[] {
  const main = {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: verbsOf(kind),
    ...(kind.shortNames?.length && { shortNames: kind.shortNames }),
    ...(kind.categories?.length && { categories: kind.categories }),
    ...(!kind.virtual && { storageVersionHash: storageHash(kind) }),
  };
  const others = subresourceEntries(kind).map(({ name, verbs, kind: carried }) => ({
    name: `${kind.plural}/${name}`,
    singularName: '',
    namespaced: kind.namespaced,
    ...(carried.group && carried.group !== kind.group && { group: carried.group, version: carried.version }),
    kind: carried.kind,
    verbs,
  }));
  return [main, ...others];
}

/** Opaque to clients; equal for equal storage versions. */
function storageHash(kind: Kind): string {
  const { group, version, kind: name } = kind.storage ?? kind;
  let hash = 0;
  for (const char of `${group}/${version}/${name}`) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) >>> 0;
  return Buffer.from(hash.toString(16).padStart(8, '0')).toString('base64');
}

/** One group of the aggregated form. */
export function groupDiscovery(
  name: string,
  versions: readonly { version: string; kinds: readonly Kind[] }[],
): object {
  return {
    metadata: name ? { name } : {},
    versions: versions.map(({ version, kinds }) => ({
      version,
      resources: [...kinds].sort((a, b) => (a.plural < b.plural ? -1 : 1)).map(resourceDiscovery),
      freshness: 'Current',
    })),
  };
}

function resourceDiscovery(kind: Kind): object {
  const entries = subresourceEntries(kind);
  return {
    resource: kind.plural,
    responseKind:
      kind.definition === undefined
        ? { group: kind.group, version: kind.version, kind: kind.kind }
        : { group: '', version: '', kind: kind.kind },
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: verbsOf(kind),
    ...(kind.shortNames?.length && { shortNames: kind.shortNames }),
    ...(kind.categories?.length && { categories: kind.categories }),
    ...(entries.length > 0 && {
      subresources: entries.map(({ name: subresource, verbs, kind: responseKind }) => ({
        subresource,
        responseKind,
        verbs,
      })),
    }),
  };
}

export const groupVersionOf = (group: string, version: string): string => apiVersionOf({ group, version });
