/**
 * One run of a reconciler: its context, its timeout, and a check whether it obeys its signal.
 *
 * In: a request and a reconciler. Out: its result or error, never a rejection. Guarantees: the signal aborts at the
 * timeout, and no timer or listener is left after the run. It cannot stop a reconciler that ignores its signal; it
 * reports that, and the key stays taken until the reconciler returns.
 *
 * Signals, id and logger are created on first use, because most runs need none of them.
 */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Clock, Timer } from '../clock/clock.ts';
import type { Logger } from '../logging/logger.ts';
import type { Result } from '../model/result.ts';
import { ReconcileTimeoutError, type ShutdownError, SupersededError } from './errors.ts';
import type { ReconcileContext } from './reconciler.ts';
import { causeInWords, type RequestCause } from './sources.ts';

/** How long a reconcile may take to end after its signal aborted, before it is reported. */
const OBEY_WITHIN_MS = 10_000;

export interface RunOptions {
  readonly clock: Clock;
  /** Already bound to the controller and the object. */
  readonly logger: Logger;
  /** 0 for no limit. */
  readonly timeoutMs: number;
  readonly attempt: number;
  readonly isLastAttempt: boolean;
  readonly cause: RequestCause | undefined;
}

export type RunOutcome = { readonly result: Result | undefined } | { readonly error: unknown };

export class ReconcileRun implements ReconcileContext {
  readonly clock: Clock;
  readonly attempt: number;
  readonly isLastAttempt: boolean;
  readonly #options: RunOptions;
  #id: string | undefined;
  #logger: Logger | undefined;
  #abort: AbortController | undefined;
  #superseded: AbortController | undefined;
  #abortReason: ReconcileTimeoutError | ShutdownError | undefined;
  #supersededReason: SupersededError | undefined;
  #timer: Timer | undefined;
  #ignoresAbort = false;

  constructor(options: RunOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.attempt = options.attempt;
    this.isLastAttempt = options.isLastAttempt;
  }

  get reconcileID(): string {
    this.#id ??= randomUUID();
    return this.#id;
  }

  get logger(): Logger {
    this.#logger ??= this.#options.logger.with({ reconcileID: this.reconcileID });
    return this.#logger;
  }

  get reason(): string {
    return causeInWords(this.#options.cause);
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = createAbortController();
      if (this.#abortReason) this.#abort.abort(this.#abortReason);
    }
    return this.#abort.signal;
  }

  get superseded(): AbortSignal {
    if (!this.#superseded) {
      this.#superseded = createAbortController();
      if (this.#supersededReason) this.#superseded.abort(this.#supersededReason);
    }
    return this.#superseded.signal;
  }

  /** Whether debug is enabled; checked before anything is assembled for a debug line. */
  get debugs(): boolean {
    return this.#options.logger.enabled('debug');
  }

  get timedOut(): boolean {
    return this.#abortReason instanceof ReconcileTimeoutError;
  }

  /** Whether its signal was aborted, for any reason. */
  get aborted(): boolean {
    return this.#abortReason !== undefined;
  }

  /** It still runs long after its signal aborted. */
  get ignoresAbort(): boolean {
    return this.#ignoresAbort;
  }

  supersede(cause: string): void {
    this.#supersededReason ??= new SupersededError(`A newer event came in: ${cause}`);
    this.#superseded?.abort(this.#supersededReason);
  }

  abort(reason: ReconcileTimeoutError | ShutdownError): void {
    if (this.#abortReason) return;
    this.#abortReason = reason;
    this.#timer?.cancel();
    this.#timer = this.clock.setTimeout(() => this.#reportDisobedience(), OBEY_WITHIN_MS);
    this.#abort?.abort(reason);
  }

  /** Calls `work` and waits for it. Synchronous throws and rejections are treated alike. */
  async execute(work: (context: ReconcileContext) => unknown): Promise<RunOutcome> {
    const { timeoutMs } = this.#options;
    if (timeoutMs > 0) {
      this.#timer = this.clock.setTimeout(() => {
        this.abort(new ReconcileTimeoutError(`The reconcile did not end within ${timeoutMs} ms`));
      }, timeoutMs);
    }
    try {
      const result = await work(this);
      return { result: (result ?? undefined) as Result | undefined };
    } catch (error) {
      return { error };
    } finally {
      this.#timer?.cancel();
      if (this.#ignoresAbort) this.logger.warn('The reconcile that ignored its signal has ended');
    }
  }

  #reportDisobedience(): void {
    this.#ignoresAbort = true;
    this.logger.error('The reconcile ignores its aborted signal: it still holds its key and its worker', {
      error: this.#abortReason,
      hint: 'pass context.signal to everything that waits',
    });
  }
}

/** For signals that live as long as a run: many concurrent requests may listen without this being a leak. */
function createAbortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
