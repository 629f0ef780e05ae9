/**
 * Tracks which workloads wait for which peers.
 *
 * In: the peers that a workload waits for, and the end of each pass. Out: a workload is requeued when all its peers are
 * done. Guarantees: at most one requeue for each wait, however many peers end; a workload whose wake-up is lost is
 * requeued by its own timer.
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
  readonly #isHeld: (ref: WorkloadRef) => boolean;

  /** `isHeld`: its rollout waits for a person. */
  constructor(
    wake: (key: string) => void,
    states: Pick<WorkloadStates, 'of'>,
    isHeld: (ref: WorkloadRef) => boolean,
  ) {
    this.#wake = wake;
    this.#states = states;
    this.#isHeld = isHeld;
  }

  /** Replaces the peers that `key` waits for. */
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
   * A pass over this peer has ended. If it neither rolls out nor waits for its turn, others need not wait for it. A
   * failed rollout releases them once, and its recovery once more.
   */
  looked(ref: WorkloadRef): void {
    const peer = workloadKey(ref);
    if (!this.#awaitedBy.has(peer)) return;
    const { following, eviction, deferred } = this.#states.of(ref) ?? {};
    if (eviction || (deferred && !isAside(deferred.why))) return;
    if (following && !this.#isHeld(ref)) {
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
