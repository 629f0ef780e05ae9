/**
 * Hands events to handlers. In: batches of events that the store already reflects. Out: calls, one at a time.
 *
 * Guarantees: every handler sees the objects that were there when it began as `initial` adds, then every later
 * change in order and nothing twice; what a handler throws is reported and stops nobody. A batch that arises while
 * another is handed out (a handler that changes its informer) waits for its turn.
 */
import type { Cached, HandlerRegistration, InformerEvent, InformerHandler } from './informer.ts';

interface Registered<C extends Cached> {
  readonly handler: InformerHandler<C>;
  active: boolean;
  synced: boolean;
}

interface Batch<C extends Cached> {
  /** Read once, in order, while it is handed out. */
  readonly events: Iterable<InformerEvent<C>>;
  readonly to: readonly Registered<C>[];
  readonly after: () => void;
}

export class Handlers<C extends Cached> {
  /** Replaced, never changed: a batch keeps the list of those who were there when it arose. */
  #registered: readonly Registered<C>[] = [];
  readonly #waiting: Batch<C>[] = [];
  #busy = false;
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  get count(): number {
    return this.#registered.length;
  }

  /** `present`: what the store holds already; `synced`: whether that is a full state. */
  add(handler: InformerHandler<C>, present: Iterable<C>, synced: boolean): HandlerRegistration {
    const entry: Registered<C> = { handler, active: true, synced: false };
    this.#registered = [...this.#registered, entry];
    this.#enqueue(initialEvents([...present]), [entry], () => {
      if (synced) entry.synced = true;
    });
    return {
      get synced() {
        return entry.synced;
      },
      remove: () => {
        entry.active = false;
        this.#registered = this.#registered.filter((other) => other !== entry);
      },
    };
  }

  /** `after` is called when every handler has seen the events. */
  notify(events: Iterable<InformerEvent<C>>, after: () => void = () => {}): void {
    this.#enqueue(events, this.#registered, after);
  }

  /** A full state is complete: once everything before is handed out, all handlers are synced. */
  sync(after: () => void): void {
    this.#enqueue([], [], () => {
      for (const entry of this.#registered) entry.synced = true;
      after();
    });
  }

  #enqueue(events: Iterable<InformerEvent<C>>, to: readonly Registered<C>[], after: () => void): void {
    this.#waiting.push({ events, to, after });
    if (this.#busy) return;
    this.#busy = true;
    try {
      for (let batch = this.#waiting.shift(); batch; batch = this.#waiting.shift()) this.#handOut(batch);
    } finally {
      this.#busy = false;
    }
  }

  #handOut(batch: Batch<C>): void {
    if (batch.to.length > 0) {
      for (const event of batch.events) {
        for (const entry of batch.to) {
          if (!entry.active) continue;
          try {
            entry.handler(event);
          } catch (error) {
            this.#onError(error);
          }
        }
      }
    }
    batch.after();
  }
}

export function* initialEvents<C extends Cached>(objects: readonly C[]): Iterable<InformerEvent<C>> {
  for (const object of objects) yield { type: 'add', object, initial: true };
}
