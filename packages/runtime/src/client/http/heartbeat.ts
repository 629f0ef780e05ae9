/**
 * Detects dead connections.
 *
 * In: the number of received bytes, and a function that sends a PING. Out: `onDead`, once. Guarantees: silence is
 * followed by a PING within one interval, an unanswered PING by `onDead` within the timeout; a connection that
 * receives data is never pinged.
 */
import type { Clock, Timer } from '../../clock/clock.ts';

export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly received: () => number;
  readonly ping: (answered: () => void) => void;
  readonly onDead: (message: string) => void;
}

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #lastReceived: number;
  #timer: Timer;
  #pinging = false;
  #stopped = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#lastReceived = options.received();
    this.#timer = this.#arm();
  }

  /** Checks now instead of at the next interval. */
  probe(): void {
    if (this.#stopped || this.#pinging) return;
    this.#timer.cancel();
    this.#ping();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer.cancel();
  }

  #arm(): Timer {
    const timer = this.#options.clock.setTimeout(() => this.#check(), this.#options.intervalMs);
    // Running requests keep the process alive; the heartbeat of an idle connection does not.
    timer.unref?.();
    return timer;
  }

  #check(): void {
    const received = this.#options.received();
    if (received === this.#lastReceived) this.#ping();
    else {
      this.#lastReceived = received;
      this.#timer = this.#arm();
    }
  }

  #ping(): void {
    const { clock, timeoutMs } = this.#options;
    const before = this.#options.received();
    this.#pinging = true;
    this.#timer = clock.setTimeout(() => {
      // After a pause of this process the timer fires before the answer that already arrived is read: read first.
      setImmediate(() => {
        if (!this.#pinging || this.#stopped) return;
        if (this.#options.received() !== before) this.#alive();
        else {
          this.stop();
          this.#options.onDead(`it did not answer a PING within ${timeoutMs / 1000} s`);
        }
      });
    }, timeoutMs);
    this.#timer.unref?.();
    this.#options.ping(() => this.#alive());
  }

  #alive(): void {
    if (this.#stopped || !this.#pinging) return;
    this.#pinging = false;
    this.#timer.cancel();
    this.#lastReceived = this.#options.received();
    this.#timer = this.#arm();
  }
}
