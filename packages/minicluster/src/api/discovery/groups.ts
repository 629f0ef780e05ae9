/** `/api`, `/apis` and the paths below them, as plain and as aggregated discovery. */
import type { ApiGroup } from '../../kinds/index.ts';
import type { Cluster } from '../cluster.ts';
import { groupDiscovery, groupVersionOf, resourceList } from './resources.ts';

export const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** True if the client prefers the aggregated form. */
export function wantsAggregated(accept: string | undefined): boolean {
  const first = (accept ?? '').split(',').find((clause) => !clause.includes('protobuf')) ?? '';
  const parts = new Set(first.split(';').map((part) => part.trim()));
  return parts.has('g=apidiscovery.k8s.io') && parts.has('v=v2') && parts.has('as=APIGroupDiscoveryList');
}

const namedGroups = (cluster: Cluster): ApiGroup[] =>
  cluster.kinds.groups().filter((group) => group.name !== '');

export function aggregated(cluster: Cluster, core: boolean): object {
  const groups = cluster.kinds.groups().filter((group) => (group.name === '') === core);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ name, versions }) =>
      groupDiscovery(
        name,
        versions.map((version) => ({ version, kinds: cluster.kinds.inGroupVersion(name, version) })),
      ),
    ),
  };
}

/** Groups of custom resources answer a little differently, because apiextensions-apiserver serves them. */
export const isBuiltInGroup = (cluster: Cluster, name: string): boolean =>
  cluster.kinds.all().some((kind) => kind.group === name && kind.definition !== undefined);

export const coreVersions = (address: string): object => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
});

export const groupList = (cluster: Cluster): object => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: namedGroups(cluster).map(groupEntry),
});

/** Undefined for a group that is not served. */
export function singleGroup(cluster: Cluster, name: string): object | undefined {
  const group = namedGroups(cluster).find((candidate) => candidate.name === name);
  return group && { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) };
}

function groupEntry({ name, versions }: ApiGroup): object {
  const entries = versions.map((version) => ({ groupVersion: groupVersionOf(name, version), version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

/** Undefined for a version that is not served. */
export function resources(cluster: Cluster, group: string, version: string): object | undefined {
  const kinds = cluster.kinds.inGroupVersion(group, version);
  return kinds.length > 0 ? resourceList(kinds, groupVersionOf(group, version)) : undefined;
}
