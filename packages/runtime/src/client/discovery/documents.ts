/** Parses the two forms of discovery documents. */
import { isRecord } from '../decode/json.ts';

/** One resource as the server describes it. */
export interface DiscoveredResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly subresources: readonly string[];
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** `APIGroupDiscoveryList`: everything in one document. */
export function fromAggregated(document: unknown): DiscoveredResource[] {
  return records(document, 'items').flatMap((group) => {
    const name = isRecord(group.metadata) ? text(group.metadata.name) : '';
    return records(group, 'versions').flatMap((version) =>
      records(version, 'resources').flatMap((resource) => {
        const { responseKind } = resource;
        const kind = isRecord(responseKind) ? text(responseKind.kind) : '';
        if (!kind) return [];
        return [
          {
            group: name,
            version: text(version.version),
            kind,
            plural: text(resource.resource),
            namespaced: resource.scope === 'Namespaced',
            verbs: strings(resource.verbs),
            shortNames: strings(resource.shortNames),
            subresources: records(resource, 'subresources').map((sub) => text(sub.subresource)),
          },
        ];
      }),
    );
  });
}

/** `APIVersions` of the core group, or `APIGroupList`: the documents to fetch next. Preferred versions first. */
export function groupVersions(document: unknown): GroupVersion[] {
  if (isRecord(document) && document.kind === 'APIVersions') {
    return strings(document.versions).map((version) => ({ group: '', version }));
  }
  return records(document, 'groups').flatMap((group) => {
    const preferred = isRecord(group.preferredVersion) ? text(group.preferredVersion.version) : '';
    const versions = records(group, 'versions').map((version) => text(version.version));
    const ordered = [...versions.filter((v) => v === preferred), ...versions.filter((v) => v !== preferred)];
    return ordered.map((version) => ({ group: text(group.name), version }));
  });
}

/** `APIResourceList` of one group and version. */
export function fromResourceList(document: unknown, { group, version }: GroupVersion): DiscoveredResource[] {
  const all = records(document, 'resources');
  return all
    .filter((resource) => !text(resource.name).includes('/'))
    .map((resource) => {
      const plural = text(resource.name);
      return {
        group,
        version,
        kind: text(resource.kind),
        plural,
        namespaced: resource.namespaced === true,
        verbs: strings(resource.verbs),
        shortNames: strings(resource.shortNames),
        subresources: all
          .map((other) => text(other.name))
          .filter((name) => name.startsWith(`${plural}/`))
          .map((name) => name.slice(plural.length + 1)),
      };
    });
}

function records(value: unknown, name: string): Record<string, unknown>[] {
  const list = isRecord(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
