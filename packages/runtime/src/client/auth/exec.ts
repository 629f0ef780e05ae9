/**
 * Credentials from a plugin (`exec` in a kubeconfig).
 *
 * In: how to run it. Out: a token, a client certificate, or both. Guarantees: at most one run at a time, shared by
 * all callers; a result is used until its expirationTimestamp, or until a 401 if it has none; after a 401 the plugin
 * runs at most once in ten seconds, so that one that opens a browser is not started in a loop.
 */
import { isatty } from 'node:tty';
import type { Clock } from '../../clock/clock.ts';
import { abortable, deadline } from '../abort.ts';
import { ConfigError } from '../errors.ts';
import type { Credentials } from './credentials.ts';
import { type ExecResult, type ExecSpec, parseExecResult } from './exec-credential.ts';
import { runPlugin } from './exec-process.ts';

/** A token that expires while the request is under way is of no use. */
const EXPIRY_MARGIN_MS = 5_000;
const SHORTEST_RENEWAL_MS = 10_000;
/** Long enough for a person to log in, short enough not to hang forever. */
const INTERACTIVE_TIMEOUT_MS = 5 * 60_000;
const TIMEOUT_MS = 60_000;

export interface ExecOptions {
  readonly clock: Clock;
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** Whether a person can answer the plugin's questions; by default whether stdin is a terminal. */
  readonly terminal?: boolean | undefined;
}

export function execCredentials(spec: ExecSpec, options: ExecOptions): Credentials {
  const { clock, environment = process.env } = options;
  let last: ExecResult | undefined;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<ExecResult> | undefined;

  async function run(): Promise<ExecResult> {
    const terminal = options.terminal ?? isatty(0);
    const interactive = terminal && spec.interactiveMode !== 'Never';
    if (spec.interactiveMode === 'Always' && !terminal) {
      throw new ConfigError(
        `The credential plugin ${spec.command} of ${spec.owner} needs a terminal (interactiveMode Always): run it from one, or use credentials that need no person`,
      );
    }
    const timeoutMs = interactive ? INTERACTIVE_TIMEOUT_MS : TIMEOUT_MS;
    const limit = deadline(clock, timeoutMs, () => tooSlow(spec, timeoutMs));
    try {
      const printed = await runPlugin(spec, { interactive, environment, signal: limit.signal });
      last = parseExecResult(printed, spec);
      return last;
    } finally {
      limit.dispose();
    }
  }

  function shared(signal: AbortSignal | undefined): Promise<ExecResult> {
    running ??= run().finally(() => {
      running = undefined;
    });
    return abortable(running, signal);
  }

  function valid(): ExecResult | undefined {
    const usable = last && (last.expiresAt ?? Number.POSITIVE_INFINITY) - EXPIRY_MARGIN_MS > clock.now();
    return usable ? last : undefined;
  }

  return {
    current: async (signal) => (valid() ?? (await shared(signal))).headers,
    clientCertificate: async (signal) => (valid() ?? (await shared(signal))).certificate,
    async renew(rejected, signal) {
      const known = valid();
      if (known && known.headers !== rejected) return known.headers;
      if (!running && clock.monotonic() - renewedAt < SHORTEST_RENEWAL_MS) return undefined;
      renewedAt = clock.monotonic();
      return (await shared(signal)).headers;
    },
  };
}

function tooSlow(spec: ExecSpec, timeoutMs: number): ConfigError {
  return new ConfigError(
    `The credential plugin ${spec.command} of ${spec.owner} did not finish within ${timeoutMs / 1000} s: run it by hand to see what it waits for`,
  );
}
