/**
 * Injects faults, as middleware in front of the API server.
 *
 * In: requests. Out: the server's answers, or faults. Guarantees: a refused or lost request has no effect; a lost
 * answer has its full effect; after `stop` no further fault is injected, so that a scenario can show recovery. Every
 * injected fault is recorded.
 */
import { type Clock, sleep } from '@reloader/runtime';
import { errorResponse } from '../api/respond.ts';
import { expiredContinuation } from '../api/verbs/list.ts';
import { StatusError } from '../model/status.ts';
import {
  type ApiRequest,
  type ApiResponse,
  ConnectionLostError,
  type Handler,
  isLive,
  type Middleware,
} from '../request/request.ts';
import { breaking, rechunked, repeating } from './bodies.ts';
import { FaultPlan, type FaultRates, type RequestFault, type WatchFault } from './plan.ts';

/** Which faults are injected, how often, on which requests; the seed decides when. */
export interface FaultOptions {
  readonly clock: Clock;
  readonly seed: number;
  readonly rates?: Partial<FaultRates>;
  /** Which requests may be affected. Default: all. */
  readonly only?: (request: ApiRequest) => boolean;
  /**
   * Called after this many writes were carried out (counted from 1), before the answer is sent: the moment to stop
   * the client, as in a crash. The answer is then lost.
   */
  readonly crash?: { readonly afterWrite: number; readonly kill: () => void };
}

/** One injected fault and its request. */
export interface InjectedFault {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly request: string;
  readonly fault:
    | RequestFault
    | WatchFault
    | { readonly kind: 'repeat' }
    | { readonly kind: 'crash'; readonly write: number };
}

/** Injects faults into the requests of one client, and records them. */
export interface FaultInjector {
  readonly middleware: Middleware;
  readonly injected: readonly InjectedFault[];
  /** Writes that were carried out so far. */
  readonly writes: number;
  /** No further faults. Streams that went silent stay silent: their clients have to notice. */
  stop(): void;
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
const MESSAGES = {
  429: ['TooManyRequests', 'too many requests, please try again later'],
  500: ['InternalError', 'an error on the server has prevented the request from succeeding'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'the request did not complete within the allowed time'],
} as const;

/**
 * Faults for the clients of a minicluster: the same seed plays the same faults.
 *
 * @example
 * ```ts
 * const faults = createFaults({ clock, seed: 7, rates: { loseAnswer: 0.05, delay: 0.1 } });
 * const cluster = await startMinicluster({ clock, seed: 7, middleware: [faults.middleware] });
 * ```
 *
 * @experimental
 */
export function createFaults(options: FaultOptions): FaultInjector {
  const { clock, only = () => true, crash } = options;
  const plan = new FaultPlan(options.seed, options.rates ?? {});
  const injected: InjectedFault[] = [];
  let active = true;
  let writes = 0;

  const note = (request: ApiRequest, fault: InjectedFault['fault']): void => {
    injected.push({ at: clock.monotonic(), request: `${request.method} ${request.path}`, fault });
  };

  async function hit(next: Handler, request: ApiRequest): Promise<ApiResponse> {
    const fault = plan.forRequest();
    if (fault) note(request, fault);
    if (fault?.kind === 'delay') await sleep(clock, fault.ms, request.signal);
    if (fault?.kind === 'refuse') return refusal(fault);
    if (fault?.kind === 'lose-request')
      throw new ConnectionLostError('The connection broke before the request was read');
    const answer = await byServer(next, request);
    if (fault?.kind === 'lose-answer')
      throw new ConnectionLostError('The connection broke before the answer arrived');
    return damaged(request, answer);
  }

  /** With what the server and its database do by themselves. */
  async function byServer(next: Handler, request: ApiRequest): Promise<ApiResponse> {
    const asked = new URL(request.path, 'https://server').searchParams;
    if (asked.get('watch') === 'true') return carryOut(next, request);
    const slow = plan.forStore(clock.monotonic());
    if (slow?.kind === 'slow-store') {
      note(request, slow);
      await sleep(clock, slow.ms, request.signal);
    }
    const token = asked.get('continue');
    const expired = token ? plan.forPage() : undefined;
    if (token && expired) {
      note(request, expired);
      return errorResponse(expiredContinuation(token));
    }
    const length = asked.has('limit') ? plan.pageLength() : undefined;
    return carryOut(next, length === undefined ? request : withLimit(request, length));
  }

  async function carryOut(next: Handler, request: ApiRequest): Promise<ApiResponse> {
    const answer = await next(request);
    if (READS.has(request.method) || answer.status >= 300) return answer;
    writes += 1;
    if (!active || writes !== crash?.afterWrite) return answer;
    note(request, { kind: 'crash', write: writes });
    crash.kill();
    throw new ConnectionLostError('The client was stopped after this write');
  }

  function damaged(request: ApiRequest, answer: ApiResponse): ApiResponse {
    const twice = isLive(answer.body) ? plan.forEvents() : undefined;
    const whole =
      twice && isLive(answer.body)
        ? repeating(answer.body, twice, () => note(request, { kind: 'repeat' }))
        : answer.body;
    const size = plan.forBody();
    const body = size ? rechunked(whole, size) : whole;
    if (!isLive(answer.body) || !isLive(body)) return { ...answer, body };
    const fault = plan.forWatch();
    if (!fault) return { ...answer, body };
    return { ...answer, body: breaking(body, fault, () => note(request, fault)) };
  }

  return {
    middleware: (next) => (request) =>
      active && only(request) ? hit(next, request) : carryOut(next, request),
    injected,
    get writes() {
      return writes;
    },
    stop() {
      active = false;
    },
  };
}

function withLimit(request: ApiRequest, limit: number): ApiRequest {
  return { ...request, path: request.path.replace(/([?&]limit=)\d+/, `$1${limit}`) };
}

function refusal({ status, retryAfterSeconds }: RequestFault & { kind: 'refuse' }): ApiResponse {
  const [reason, message] = MESSAGES[status];
  const answer = errorResponse(
    new StatusError(status, reason, message, retryAfterSeconds ? { retryAfterSeconds } : undefined),
  );
  if (!retryAfterSeconds) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(retryAfterSeconds) } };
}
