/**
 * One process's view of a Lease. In: Leases as read or written. Out: the newest one, and when it expires on the local
 * monotonic clock: counted from the moment at which its record was last seen to change, never from the timestamps
 * inside, which come from another machine's clock.
 */
import type { Clock } from '../clock/clock.ts';
import type { Stored } from '../model/types.ts';
import { holderOf, type Lease, sameRecord } from './lease.ts';

export class ObservedLease {
  readonly #clock: Clock;
  readonly #ownDurationMs: number;
  readonly #onNewHolder: (identity: string) => void;
  #lease: Stored<Lease> | undefined;
  #changedAt = 0;

  constructor(clock: Clock, ownDurationMs: number, onNewHolder: (identity: string) => void) {
    this.#clock = clock;
    this.#ownDurationMs = ownDurationMs;
    this.#onNewHolder = onNewHolder;
  }

  get lease(): Stored<Lease> | undefined {
    return this.#lease;
  }

  get holder(): string | undefined {
    return this.#lease && holderOf(this.#lease);
  }

  /** When the observed holder's Lease expires; undefined if there is none to wait for. */
  get expiry(): number | undefined {
    if (!this.#lease || !this.holder) return undefined;
    const seconds = this.#lease.spec?.leaseDurationSeconds;
    return this.#changedAt + (seconds ? seconds * 1000 : this.#ownDurationMs);
  }

  get expired(): boolean {
    const expiry = this.expiry;
    return expiry === undefined || this.#clock.monotonic() >= expiry;
  }

  observe(lease: Stored<Lease>): void {
    const before = this.holder;
    if (!this.#lease || !sameRecord(this.#lease, lease)) this.#changedAt = this.#clock.monotonic();
    this.#lease = lease;
    const holder = this.holder;
    if (holder && holder !== before) this.#onNewHolder(holder);
  }
}
