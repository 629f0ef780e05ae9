/**
 * Renders templates in a worker thread, which is killed when one takes too long or too much memory.
 *
 * In: requests, from anywhere, at any rate. Out: texts, or a `TemplateError`. Guarantees are those of `GuardedThread`:
 * each request has one second, and cannot hold up other tenants.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '@reloader/runtime';
import { GuardedThread, KilledError } from '../thread/guarded-thread.ts';
import { TemplateError } from './error.ts';
import type { RenderRequest } from './render.ts';
import type { TemplateRenderer, TenantRequest } from './renderer.ts';
import type { Answer } from './worker.ts';

export interface WorkerRendererOptions {
  readonly clock: Clock;
  /** The worker's program; the built one unless given. */
  readonly file?: URL;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
}

/** Sources and built files are equally deep below the package. */
const PROGRAM = new URL('../../dist/template/worker.js', import.meta.url);
const TIMEOUT_MS = 1_000;

/** The message to the thread. The tenant is only used to name the request that is refused. */
type Sent = RenderRequest & { readonly tenant: string };

export class WorkerRenderer implements TemplateRenderer {
  readonly #thread: GuardedThread<Sent, Answer>;

  constructor(options: WorkerRendererOptions) {
    this.#thread = new GuardedThread({
      file: PROGRAM,
      timeoutMs: TIMEOUT_MS,
      what: 'template',
      nameOf: digestOf,
      ...options,
    });
  }

  /** True while a thread exists. */
  get isRunning(): boolean {
    return this.#thread.isRunning;
  }

  async render(request: TenantRequest): Promise<string[]> {
    const { tenant, templates, data, shape, maxOutputBytes } = request;
    const answer = await this.#ask({ tenant, templates, data, maxOutputBytes, ...(shape && { shape }) });
    if ('texts' in answer) return answer.texts;
    throw new TemplateError(answer.template, answer.line, answer.column, answer.complaint);
  }

  close(): void {
    this.#thread.close();
  }

  async #ask(sent: Sent): Promise<Answer> {
    try {
      return await this.#thread.ask(sent.tenant, sent);
    } catch (error) {
      throw error instanceof KilledError ? refusal(sent, error.message) : error;
    }
  }
}

/**
 * Identifies the tenant's templates without the data: whether other data would be faster is not known without trying.
 */
function digestOf({ tenant, templates }: Sent): string {
  const hash = createHash('sha256').update(tenant);
  for (const part of templates.flat()) hash.update(`\0${part.length}\0`).update(part);
  return hash.digest('base64url');
}

function refusal({ templates }: Sent, why: string): TemplateError {
  const names = templates.map(([name]) => name);
  const [only = 'template'] = names;
  return new TemplateError(names.length > 1 ? names.slice(0, 3).join('+') : only, 1, 1, why);
}
