/**
 * Who waits for which peers.
 *
 * In: those that a workload waits for, and the end of each pass. Out: a wake-up when all of them are through with what
 * they had to do. Guarantees: a workload is woken at most once for what it waits for, however many peers end; one whose
 * wake-up is lost looks by itself.
 */
import { type WorkloadRef, workloadKey } from '../model/workload.ts';
import { isAside } from '../plan/peers/standing.ts';
import type { WorkloadStates } from './state.ts';

export class PeerWaits {
  readonly #wake: (key: string) => void;
  readonly #awaitedBy = new Map<string, Set<string>>();
  readonly #left = new Map<string, Set<string>>();
  readonly #failing = new Set<string>();
  readonly #states: Pick<WorkloadStates, 'of'>;

  constructor(wake: (key: string) => void, states: Pick<WorkloadStates, 'of'>) {
    this.#wake = wake;
    this.#states = states;
  }

  /** `key` waits for these and for nobody else. */
  wait(key: string, peers: readonly string[]): void {
    this.stop(key);
    if (peers.length === 0) return;
    this.#left.set(key, new Set(peers));
    for (const peer of peers) {
      const waiting = this.#awaitedBy.get(peer) ?? new Set<string>();
      this.#awaitedBy.set(peer, waiting.add(key));
    }
  }

  stop(key: string): void {
    for (const peer of this.#left.get(key) ?? []) this.#release(peer, key);
    this.#left.delete(key);
  }

  /**
   * A pass over it has ended: where it neither rolls out nor waits for its turn, nobody need wait for it. A failure is
   * news once, and once more when it heals.
   */
  looked(ref: WorkloadRef): void {
    const peer = workloadKey(ref);
    if (!this.#awaitedBy.has(peer)) return;
    const { following, eviction, deferred } = this.#states.of(ref) ?? {};
    if (eviction || (deferred && !isAside(deferred.why))) return;
    if (following) {
      if (following.failed === undefined || this.#failing.has(peer)) return;
      this.#failing.add(peer);
    } else this.#failing.delete(peer);
    this.#through(peer);
  }

  #through(peer: string): void {
    for (const key of [...(this.#awaitedBy.get(peer) ?? [])]) {
      const left = this.#left.get(key);
      this.#release(peer, key);
      left?.delete(peer);
      if (left?.size !== 0) continue;
      this.#left.delete(key);
      this.#wake(key);
    }
  }

  #release(peer: string, key: string): void {
    const waiting = this.#awaitedBy.get(peer);
    waiting?.delete(key);
    if (waiting?.size === 0) this.#awaitedBy.delete(peer);
  }
}
