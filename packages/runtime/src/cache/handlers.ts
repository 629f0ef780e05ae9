/**
 * Delivers events to handlers. In: batches of events that the store already reflects. Out: calls, one at a time.
 *
 * Guarantees: every handler sees the objects present when it was added as `initial` adds, then every later change in
 * order and none twice; an exception in a handler is reported and affects no other handler. A batch that arises while
 * another is being delivered (a handler changes its informer) is delivered afterwards.
 */
import type { Cached, HandlerRegistration, InformerEvent, InformerHandler } from './informer.ts';

interface Registered<C extends Cached> {
  readonly handler: InformerHandler<C>;
  active: boolean;
  synced: boolean;
}

interface Batch<C extends Cached> {
  /** Iterated once, in order, during delivery. */
  readonly events: Iterable<InformerEvent<C>>;
  readonly to: readonly Registered<C>[];
  readonly after: () => void;
}

export class Handlers<C extends Cached> {
  /** Replaced, never mutated: a batch keeps the list of handlers from the moment it arose. */
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

  /** `present`: the objects in the store; `synced`: whether they are a complete list. */
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

  /** `after` is called once every handler has seen the events. */
  notify(events: Iterable<InformerEvent<C>>, after: () => void = () => {}): void {
    this.#enqueue(events, this.#registered, after);
  }

  /** Marks the first complete list: once everything queued before is delivered, all handlers are synced. */
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
