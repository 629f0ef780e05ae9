/**
 * Named checks behind the probe endpoints.
 *
 * In: checks that throw on failure. Out: answers in the format of `kubectl get --raw /readyz` and of kubelet probes.
 * A check that hangs fails after 5 s. Failures and their reasons are logged once per change; the answer names the
 * check, and the reason only if that was allowed, because anyone can ask.
 */
import { type Clock, sleep, systemClock } from '../clock/clock.ts';
import { silentLogger } from '../logging/create-logger.ts';
import type { Logger } from '../logging/logger.ts';

/** Throws (or rejects) with the reason of the failure. */
export type HealthCheck = () => void | Promise<void>;

/** Content of answers, and logging of changes. */
export interface HealthOptions {
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  /** Include reasons in answers, not only in the log. False unless given. */
  readonly revealReasons?: boolean | undefined;
}

/** The answer to a probe. */
export interface HealthAnswer {
  readonly status: 200 | 404 | 500;
  readonly body: string;
}

type Kind = 'healthz' | 'readyz';

const CHECK_TIMEOUT_MS = 5_000;

/** The checks of a program, for liveness and readiness. */
export class Health {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #revealReasons: boolean;
  readonly #checks: Readonly<Record<Kind, Map<string, HealthCheck>>> = {
    healthz: new Map(),
    readyz: new Map(),
  };
  readonly #failing = new Set<string>();

  constructor(options: HealthOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#revealReasons = options.revealReasons ?? false;
    this.addLiveness('ping', () => undefined);
    this.addReadiness('ping', () => undefined);
  }

  /** A failure means: restart the process. */
  addLiveness(name: string, check: HealthCheck): void {
    this.#add('healthz', name, check);
  }

  /** A failure means: send no traffic to this process now. */
  addReadiness(name: string, check: HealthCheck): void {
    this.#add('readyz', name, check);
  }

  /** Answers `/healthz`, `/livez`, `/readyz` and `/readyz/<check>`, with `verbose` and `exclude=<check>`. */
  async answer(path: string, query: URLSearchParams = new URLSearchParams()): Promise<HealthAnswer> {
    const [endpoint = '', ...rest] = path.split('/').filter(Boolean);
    const kind: Kind | undefined =
      endpoint === 'readyz'
        ? 'readyz'
        : endpoint === 'healthz' || endpoint === 'livez'
          ? 'healthz'
          : undefined;
    const one = rest.length > 0 ? rest.join('/') : undefined;
    if (!kind || (one !== undefined && !this.#checks[kind].has(one)))
      return { status: 404, body: 'not found\n' };

    const excluded = query.getAll('exclude');
    const names = one === undefined ? [...this.#checks[kind].keys()] : [one];
    const wanted = names.filter((name) => !excluded.includes(name));
    const results = await Promise.all(wanted.map((name) => this.#run(kind, name)));
    const failed = results.some(({ reason }) => reason !== undefined);
    if (!failed && !query.has('verbose')) return { status: 200, body: 'ok\n' };

    const reasonOf = (reason: string): string => (this.#revealReasons ? reason : 'reason withheld');
    const lines = results.map(({ name, reason }) =>
      reason === undefined ? `[+]${name} ok` : `[-]${name} failed: ${reasonOf(reason)}`,
    );
    for (const name of excluded) {
      lines.push(
        names.includes(name) ? `[+]${name} excluded: ok` : `warn: there is no check "${name}" to exclude`,
      );
    }
    lines.push(`${endpoint} check ${failed ? 'failed' : 'passed'}`);
    return { status: failed ? 500 : 200, body: `${lines.join('\n')}\n` };
  }

  #add(kind: Kind, name: string, check: HealthCheck): void {
    if (this.#checks[kind].has(name)) throw new TypeError(`There is already a ${kind} check "${name}"`);
    this.#checks[kind].set(name, check);
  }

  async #run(kind: Kind, name: string): Promise<{ name: string; reason: string | undefined }> {
    const done = new AbortController();
    const tooLong = sleep(this.#clock, CHECK_TIMEOUT_MS, done.signal).then(
      () => {
        throw new Error(`no answer within ${CHECK_TIMEOUT_MS / 1000} s`);
      },
      () => undefined,
    );
    let reason: string | undefined;
    try {
      await Promise.race([this.#checks[kind].get(name)?.(), tooLong]);
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    } finally {
      done.abort();
    }
    this.#logChange(`${kind}/${name}`, reason);
    return { name, reason };
  }

  #logChange(check: string, reason: string | undefined): void {
    if ((reason !== undefined) === this.#failing.has(check)) return;
    if (reason === undefined) {
      this.#failing.delete(check);
      this.#logger.info('Health check passes again', { check });
    } else {
      this.#failing.add(check);
      this.#logger.warn('Health check fails', { check, reason });
    }
  }
}
