export { type Elector, type ElectorCallbacks, LeaseLostError } from '../lifecycle/election-contract.ts';
export { createElector, type ElectorOptions, type LeaseElector } from './elector.ts';
export { type Fence, FenceError, type FenceSource, fencedClient } from './fence.ts';
export { LEASES, type Lease, type LeaseSpec } from './lease.ts';
export { DEFAULT_TIMINGS, ElectionConfigError, type ElectionTimings } from './timings.ts';
