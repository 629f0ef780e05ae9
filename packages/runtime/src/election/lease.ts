/** The Lease object (coordination.k8s.io/v1) as elections read and write it. */
import type { ResourceType } from '../client/resource.ts';
import type { KubernetesObject, Stored } from '../model/types.ts';

/** The holder of a Lease, and its times. */
export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

/** A Lease of `coordination.k8s.io`. */
export interface Lease extends KubernetesObject {
  spec?: LeaseSpec;
}

/** The kind of leases. */
export const LEASES: ResourceType<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

/** The holder; undefined for a released Lease. */
export function holderOf(lease: Lease): string | undefined {
  return lease.spec?.holderIdentity || undefined;
}

export function transitionsOf(lease: Lease): number {
  return lease.spec?.leaseTransitions ?? 0;
}

/** True if the election's own record is unchanged, whatever else changed on the object. */
export function sameRecord(a: Lease, b: Lease): boolean {
  return (
    holderOf(a) === holderOf(b) &&
    transitionsOf(a) === transitionsOf(b) &&
    a.spec?.leaseDurationSeconds === b.spec?.leaseDurationSeconds &&
    a.spec?.acquireTime === b.spec?.acquireTime &&
    a.spec?.renewTime === b.spec?.renewTime
  );
}

/** The same object with another record, for a PUT that fails if anyone else wrote in between. */
export function withRecord(lease: Stored<Lease>, spec: LeaseSpec): Lease {
  return { ...lease, spec: { ...lease.spec, ...spec } };
}
