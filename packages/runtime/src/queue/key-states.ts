/**
 * The states of all keys of a queue.
 *
 * An idle key stays for a while: a busy key comes and goes all the time, and each removal leaves a hole in the map
 * that later look-ups of the same key have to step over, until the map is rebuilt. Idle states are swept when they
 * are the majority, so memory stays within about twice what is needed.
 */
import { type KeyState, newKeyState } from './key-state.ts';

/** Below this number, sweeping is not worth its cost. */
const FEW = 256;

export class KeyStates {
  readonly #states = new Map<string, KeyState>();
  #idle = 0;

  get(key: string): KeyState | undefined {
    return this.#states.get(key);
  }

  /** Returns the state of a key that becomes active. */
  use(key: string, namespaceOf: (key: string) => string): KeyState {
    const known = this.#states.get(key);
    if (known) {
      if (known.isIdle) this.#idle--;
      known.isIdle = false;
      return known;
    }
    const state = newKeyState(key, namespaceOf(key));
    this.#states.set(key, state);
    return state;
  }

  /** The key becomes idle. */
  retire(state: KeyState): void {
    if (state.isIdle) return;
    state.isIdle = true;
    this.#idle++;
    if (this.#idle > FEW && this.#idle > this.#states.size / 2) this.#sweep();
  }

  *active(): IterableIterator<KeyState> {
    for (const state of this.#states.values()) if (!state.isIdle) yield state;
  }

  /** How many states are kept, including idle ones. */
  get size(): number {
    return this.#states.size;
  }

  #sweep(): void {
    for (const state of this.#states.values()) if (state.isIdle) this.#states.delete(state.key);
    this.#idle = 0;
  }
}
