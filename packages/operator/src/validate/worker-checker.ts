/**
 * Checks contents in a worker thread, which is killed when one takes too long or too much memory.
 *
 * In: requests, from anywhere, at any rate. Out: verdicts. Guarantees: no content blocks the event loop; a content that
 * cannot be checked within two seconds gets a finding like any other, which the caller caches. Rules that parse nothing
 * (missing keys, PEM) are checked in this thread, so that most installations never start a worker.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '@reloader/runtime';
import type { ContentRule, ContentVerdict } from '../reloader/model/content-rule.ts';
import { GuardedThread, KilledError } from '../thread/guarded-thread.ts';
import { checkContent } from './check.ts';
import type { CheckRequest, ContentChecker } from './checker.ts';

export interface WorkerCheckerOptions {
  readonly clock: Clock;
  /** The worker's program; the built one unless given. */
  readonly file?: URL;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
}

/** Sources and built files are equally deep below the package. */
const PROGRAM = new URL('../../dist/validate/worker.js', import.meta.url);
/** Twice the time for a megabyte of ordinary YAML. */
const TIMEOUT_MS = 2_000;

export class WorkerChecker implements ContentChecker {
  readonly #thread: GuardedThread<CheckRequest, ContentVerdict>;

  constructor(options: WorkerCheckerOptions) {
    this.#thread = new GuardedThread({
      file: PROGRAM,
      timeoutMs: TIMEOUT_MS,
      what: 'validation',
      nameOf: digestOf,
      ...options,
    });
  }

  /** True while a thread exists. */
  get isRunning(): boolean {
    return this.#thread.isRunning;
  }

  async check(request: CheckRequest): Promise<ContentVerdict> {
    const { content, rules, now, tenant } = request;
    if (!rules.some(parses)) return checkContent(content, rules, now);
    try {
      return await this.#thread.ask(tenant, request);
    } catch (error) {
      if (!(error instanceof KilledError)) throw error;
      const [{ from, key } = { from: 'validate' }] = rules.filter(parses);
      return { findings: [{ from, ...(key && { key }), what: `cannot be checked: ${error.message}` }] };
    }
  }

  close(): void {
    this.#thread.close();
  }
}

function parses({ format }: ContentRule): boolean {
  return format !== undefined && format !== 'pem';
}

function digestOf({ tenant, content, rules }: CheckRequest): string {
  const hash = createHash('sha256').update(tenant);
  for (const { id } of rules) hash.update(`\0${id}`);
  for (const [key, value] of content.values) hash.update(`\0${key}\0${value.length}\0`).update(value);
  return hash.digest('base64url');
}
