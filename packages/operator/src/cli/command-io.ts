/** Everything that a command needs from its process. Tests give their own. */
import type { Duplex } from 'node:stream';
import type { Client, Clock } from '@reloader/runtime';
import type { Environment } from '../settings/environment.ts';
import type { ForwardTarget } from './port-forward.ts';

export interface Connection {
  readonly client: Client;
  /** The namespace of the context, used if a command names none. */
  readonly namespace: string;
  /** The place of the configuration, for messages. */
  readonly source: string;
  /** A stream to the loopback of a pod. Rejects with the server's answer. */
  readonly forward: (target: ForwardTarget, signal: AbortSignal) => Promise<Duplex>;
}

export interface ConnectOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface CommandIO {
  /** Flags without a command start the operator: see `bare.ts`. */
  readonly startsByItself: boolean;
  /** Runs the operator with these flags until it ends. Resolves with the exit code; throws `UsageError`. */
  readonly operate: (flags: readonly string[]) => Promise<number>;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  readonly connect: (options: ConnectOptions) => Promise<Connection>;
  /** GET; resolves for every status. */
  readonly fetch: (
    url: string,
    signal: AbortSignal,
  ) => Promise<{ readonly status: number; readonly body: string }>;
  /** Opens the user's browser; does nothing if there is none. */
  readonly openInBrowser: (address: string) => void;
  /** Asks the user; undefined if the input is not a terminal. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** `-` is standard input. */
  readonly readFile: (path: string) => Promise<string>;
  /** Files below a directory, or the file itself. */
  readonly listFiles: (path: string) => Promise<readonly string[]>;
  readonly environment: Environment;
  readonly clock: Clock;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  /** Standard output is a terminal that shows colours. */
  readonly colours: boolean;
  /** Standard error is a terminal, where progress can be shown. */
  readonly showsProgress: boolean;
  /** Width of the terminal; undefined if there is none. */
  readonly columns: number | undefined;
  /** `reloader`, or `kubectl reloader` if kubectl started it. */
  readonly programName: string;
}
