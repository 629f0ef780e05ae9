/**
 * Sends requests to a worker thread, which is killed when an answer takes too long or too much memory.
 *
 * In: requests, from anywhere, at any rate. Out: answers, a `KilledError`, or the error that kept the thread from
 * working. Guarantees: no request blocks the event loop; the time of each counts from the moment at which the thread
 * takes it up; tenants take turns; a request that had to be killed is refused for ten minutes without another try;
 * there is no thread before the first request, and none a minute after the last. Does not guarantee anything about
 * requests that are open when it is closed: they are rejected.
 */
import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '@reloader/runtime';
import { Turns } from './turns.ts';

export interface GuardedThreadOptions<Request> {
  readonly clock: Clock;
  /** The thread's program. Its first message is `ready`; then it answers each request. */
  readonly file: URL;
  /** For messages: `template`. */
  readonly what: string;
  /** For one request. */
  readonly timeoutMs: number;
  readonly idleMs?: number;
  /** The same for requests that would be killed for the same reason. */
  readonly nameOf: (request: Request) => string;
}

/** The first message of the thread: it is ready for requests. */
export type Ready = 'ready';

/** The request itself is at fault: it took too long, or too much memory. */
export class KilledError extends Error {
  override name = 'KilledError';
}

interface Job<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** Enough to start on a busy machine. */
const START_MS = 15_000;
const IDLE_MS = 60_000;
const PENALTY_MS = 600_000;
const MOST_PENALTIES = 1_000;
/** A small multiple of the memory of the largest ordinary request. */
const MEMORY = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 4, stackSizeMb: 4 };

export class GuardedThread<Request, Answer extends object> {
  readonly #options: Required<GuardedThreadOptions<Request>>;
  readonly #turns = new Turns<Job<Request, Answer>>();
  /** Killed requests by name: why, and until when they are refused. */
  readonly #penalties = new Map<string, { readonly why: string; readonly until: number }>();
  #worker: Worker | undefined;
  #isUp = false;
  #job: Job<Request, Answer> | undefined;
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: GuardedThreadOptions<Request>) {
    this.#options = { idleMs: IDLE_MS, ...options };
  }

  /** True while a thread exists. */
  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  ask(tenant: string, request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#closed) reject(new Error('the operator stops'));
      else {
        this.#turns.add(tenant, { request, resolve, reject });
        this.#next();
      }
    });
  }

  close(): void {
    this.#closed = true;
    this.#discard();
    const stopped = new Error('the operator stops');
    this.#job?.reject(stopped);
    this.#job = undefined;
    for (const { reject } of this.#turns.drain()) reject(stopped);
  }

  #next(): void {
    if (this.#job) return;
    for (let job = this.#turns.next(); job !== undefined; job = this.#turns.next()) {
      const why = this.#penaltyOf(job.request);
      if (why === undefined) {
        this.#begin(job);
        return;
      }
      job.reject(new KilledError(why));
    }
    // Kept until it has been idle for a while: the next request usually comes soon.
    this.#timer?.cancel();
    if (this.#worker)
      this.#timer = this.#options.clock.setTimeout(() => this.#discard(), this.#options.idleMs);
  }

  #begin(job: Job<Request, Answer>): void {
    this.#job = job;
    this.#worker ??= this.#start();
    if (this.#isUp) this.#send(job);
    else
      this.#limit(START_MS, () => this.#giveUp(new Error(`the ${this.#options.what} thread did not start`)));
  }

  #start(): Worker {
    const { file, what } = this.#options;
    const worker = new Worker(file, { resourceLimits: MEMORY, execArgv: [], stdin: false });
    // The thread does not keep the process alive.
    worker.unref();
    worker.on('message', (answer: Answer | Ready) => {
      if (this.#worker !== worker) return;
      if (answer !== 'ready') this.#settle(answer);
      else {
        // The time to load its program does not count for the request.
        this.#isUp = true;
        if (this.#job) this.#send(this.#job);
      }
    });
    worker.once('error', (error: NodeJS.ErrnoException) => {
      if (this.#worker !== worker) return;
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') this.#punish('it takes too much memory');
      else this.#giveUp(error);
    });
    worker.once('exit', () => {
      if (this.#worker === worker) this.#giveUp(new Error(`the ${what} thread ended`));
    });
    return worker;
  }

  #send({ request }: Job<Request, Answer>): void {
    this.#worker?.postMessage(request);
    const { timeoutMs } = this.#options;
    this.#limit(timeoutMs, () => this.#punish(`it takes longer than ${timeoutMs / 1000} s`));
  }

  #limit(ms: number, act: () => void): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.setTimeout(act, ms);
  }

  #settle(answer: Answer): void {
    const job = this.#job;
    this.#job = undefined;
    job?.resolve(answer);
    this.#next();
  }

  /** Kills the thread, and refuses its request for a while. */
  #punish(why: string): void {
    const job = this.#job;
    this.#job = undefined;
    this.#discard();
    if (job) {
      const until = this.#options.clock.monotonic() + PENALTY_MS;
      this.#penalties.set(this.#options.nameOf(job.request), { why, until });
      for (const oldest of this.#penalties.keys()) {
        if (this.#penalties.size <= MOST_PENALTIES) break;
        this.#penalties.delete(oldest);
      }
      job.reject(new KilledError(why));
    }
    this.#next();
  }

  /** The request is not at fault, as far as is known. */
  #giveUp(error: Error): void {
    const job = this.#job;
    this.#job = undefined;
    this.#discard();
    job?.reject(error);
    this.#next();
  }

  #discard(): void {
    this.#timer?.cancel();
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isUp = false;
    void worker?.terminate();
  }

  #penaltyOf(request: Request): string | undefined {
    if (this.#penalties.size === 0) return undefined;
    const name = this.#options.nameOf(request);
    const penalty = this.#penalties.get(name);
    if (!penalty) return undefined;
    if (penalty.until > this.#options.clock.monotonic()) return penalty.why;
    this.#penalties.delete(name);
    return undefined;
  }
}
