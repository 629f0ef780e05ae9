/** The four requests of an election, each bounded by its signal even if the client hangs. */
import { abortable } from '../client/abort.ts';
import type { Client } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import type { ObjectKey, Stored } from '../model/types.ts';
import { microTime } from '../objects/time.ts';
import { LEASES, type Lease, type LeaseSpec, withRecord } from './lease.ts';

export interface LeaseCallsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly key: ObjectKey;
  readonly identity: string;
  readonly leaseDurationMs: number;
}

export class LeaseCalls {
  readonly #options: LeaseCallsOptions;

  constructor(options: LeaseCallsOptions) {
    this.#options = options;
  }

  get(signal: AbortSignal): Promise<Stored<Lease>> {
    const { client, key } = this.#options;
    return abortable(client.get(LEASES, key, { signal }), signal);
  }

  create(transitions: number, signal: AbortSignal): Promise<Stored<Lease>> {
    const { client, key } = this.#options;
    const lease: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { ...key },
      spec: this.#acquired(transitions),
    };
    return abortable(client.create(LEASES, lease, { signal }), signal);
  }

  /** Acquires a Lease that is free or expired. */
  take(lease: Stored<Lease>, transitions: number, signal: AbortSignal): Promise<Stored<Lease>> {
    return this.#put(withRecord(lease, this.#acquired(transitions)), signal);
  }

  /** Renews a Lease that we hold. */
  renew(lease: Stored<Lease>, signal: AbortSignal): Promise<Stored<Lease>> {
    const { clock, leaseDurationMs } = this.#options;
    const renewTime = microTime(clock.now());
    return this.#put(withRecord(lease, { renewTime, leaseDurationSeconds: leaseDurationMs / 1000 }), signal);
  }

  /** Releases the Lease: the next candidate may acquire it at once. */
  giveUp(lease: Stored<Lease>, signal: AbortSignal): Promise<Stored<Lease>> {
    const time = microTime(this.#options.clock.now());
    const { holderIdentity: _, ...rest } = lease.spec ?? {};
    const spec: LeaseSpec = { ...rest, leaseDurationSeconds: 1, renewTime: time, acquireTime: time };
    return this.#put({ ...lease, spec }, signal);
  }

  #put(lease: Lease, signal: AbortSignal): Promise<Stored<Lease>> {
    return abortable(this.#options.client.update(LEASES, lease, { signal }), signal);
  }

  #acquired(leaseTransitions: number): LeaseSpec {
    const { clock, identity, leaseDurationMs } = this.#options;
    const time = microTime(clock.now());
    return {
      holderIdentity: identity,
      leaseDurationSeconds: leaseDurationMs / 1000,
      acquireTime: time,
      renewTime: time,
      leaseTransitions,
    };
  }
}
