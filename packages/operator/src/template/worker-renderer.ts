/**
 * Renders templates in a worker thread, which is killed when one takes too long or too much memory.
 *
 * In: requests, from anywhere, at any rate. Out: texts, or a `TemplateError`.
 * Guarantees: no template holds up the event loop, whatever it does; each request has a second, from the moment at which
 * the thread takes it up; tenants take turns; what had to be killed is refused unseen for ten minutes; there is no
 * thread before the first request, and none a minute after the last.
 * Does not guarantee anything about requests that are open when it is closed: they are rejected.
 */
import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '@reloader/runtime';
import { TemplateError } from './error.ts';
import type { TemplateRenderer, TenantRequest } from './renderer.ts';
import { Turns } from './turns.ts';
import type { Answer, Ready } from './worker.ts';

export interface WorkerRendererOptions {
  readonly clock: Clock;
  /** The worker's program; the built one unless given. */
  readonly file?: URL;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
}

interface Job {
  readonly request: TenantRequest;
  readonly resolve: (texts: string[]) => void;
  readonly reject: (error: Error) => void;
}

/** Sources and built files are equally deep below the package. */
const PROGRAM = new URL('../../dist/template/worker.js', import.meta.url);
const TIMEOUT_MS = 1_000;
/** To start on a machine that has much else to do. */
const START_MS = 15_000;
const IDLE_MS = 60_000;
const PENALTY_MS = 600_000;
const MOST_PENALTIES = 1_000;
/** A small multiple of what the largest honest request takes. */
const MEMORY = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 4, stackSizeMb: 4 };

export class WorkerRenderer implements TemplateRenderer {
  readonly #options: Required<WorkerRendererOptions>;
  readonly #turns = new Turns<Job>();
  /** What had to be killed, by its digest: why, and until when it is not tried again. */
  readonly #penalties = new Map<string, { readonly why: string; readonly until: number }>();
  #worker: Worker | undefined;
  #isUp = false;
  #job: Job | undefined;
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: WorkerRendererOptions) {
    this.#options = { file: PROGRAM, timeoutMs: TIMEOUT_MS, idleMs: IDLE_MS, ...options };
  }

  /** Whether there is a thread. */
  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  render(request: TenantRequest): Promise<string[]> {
    return new Promise((resolve, reject) => {
      if (this.#closed) reject(new Error('the operator stops'));
      else {
        this.#turns.add(request.tenant, { request, resolve, reject });
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
      job.reject(refusal(job.request, why));
    }
    // Thrown away only by time: the next request usually comes soon.
    this.#timer?.cancel();
    if (this.#worker)
      this.#timer = this.#options.clock.setTimeout(() => this.#discard(), this.#options.idleMs);
  }

  #begin(job: Job): void {
    this.#job = job;
    this.#worker ??= this.#start();
    if (this.#isUp) this.#send(job);
    else this.#limit(START_MS, () => this.#giveUp(new Error('the template worker did not start')));
  }

  #start(): Worker {
    const worker = new Worker(this.#options.file, { resourceLimits: MEMORY, execArgv: [], stdin: false });
    // The operator ends without asking it.
    worker.unref();
    worker.on('message', (answer: Answer | Ready) => {
      if (this.#worker !== worker) return;
      if (answer !== 'ready') this.#settle(answer);
      else {
        // Loading its program is not the template's time.
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
      if (this.#worker === worker) this.#giveUp(new Error('the template worker ended'));
    });
    return worker;
  }

  #send({ request: { templates, data, maxOutputBytes } }: Job): void {
    this.#worker?.postMessage({ templates, data, maxOutputBytes });
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
    if ('texts' in answer) job?.resolve(answer.texts);
    else job?.reject(new TemplateError(answer.template, answer.line, answer.column, answer.complaint));
    this.#next();
  }

  /** Kills it, and remembers what it was busy with. */
  #punish(why: string): void {
    const job = this.#job;
    this.#job = undefined;
    this.#discard();
    if (job) {
      const until = this.#options.clock.monotonic() + PENALTY_MS;
      this.#penalties.set(digestOf(job.request), { why, until });
      for (const oldest of this.#penalties.keys()) {
        if (this.#penalties.size <= MOST_PENALTIES) break;
        this.#penalties.delete(oldest);
      }
      job.reject(refusal(job.request, why));
    }
    this.#next();
  }

  /** Not the template's fault, as far as is known. */
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

  #penaltyOf(request: TenantRequest): string | undefined {
    if (this.#penalties.size === 0) return undefined;
    const digest = digestOf(request);
    const penalty = this.#penalties.get(digest);
    if (!penalty) return undefined;
    if (penalty.until > this.#options.clock.monotonic()) return penalty.why;
    this.#penalties.delete(digest);
    return undefined;
  }
}

/** Of the tenant's templates, whatever data they are given: other data would have to be tried to be known. */
function digestOf({ tenant, templates }: TenantRequest): string {
  const hash = createHash('sha256').update(tenant);
  for (const part of templates.flat()) hash.update(`\0${part.length}\0`).update(part);
  return hash.digest('base64url');
}

function refusal({ templates }: TenantRequest, why: string): TemplateError {
  const names = templates.map(([name]) => name);
  const [only = 'template'] = names;
  return new TemplateError(names.length > 1 ? names.slice(0, 3).join('+') : only, 1, 1, why);
}
