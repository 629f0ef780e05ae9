/** CommandIO for tests: output is recorded, and there is no cluster unless one is given. */
import { type Client, ConfigError, systemClock } from '@reloader/runtime';
import type { CommandIO, Connection } from './command-io.ts';
import { CommandFailure } from './failure.ts';
import { runProgram } from './program.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Given extends Partial<CommandIO> {
  readonly client?: Client;
  readonly namespace?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly forward?: Connection['forward'];
}

/** Runs one command. */
export async function run(argv: readonly string[], given: Given = {}): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const { client, namespace = 'default', files = {}, forward: _, ...rest } = given;
  const code = await runProgram(argv, {
    startsByItself: true,
    operate: () => Promise.reject(new Error('the operator is not under test')),
    print: (text) => void out.push(text),
    complain: (text) => void err.push(text),
    connect: async () => {
      if (!client) throw new ConfigError('No cluster is configured: /nowhere/config (not there)');
      return {
        client: { ...client, close: async () => undefined },
        namespace,
        source: 'the test',
        forward: given.forward ?? (() => Promise.reject(new Error('no port-forward is under test'))),
      };
    },
    fetch: () => Promise.reject(new TypeError('fetch failed')),
    ask: async () => undefined,
    readFile: async (path) => {
      const text = files[path];
      if (text === undefined)
        throw new CommandFailure(`Cannot read ${path}: there is no such file or folder`);
      return text;
    },
    listFiles: async (path) => [path],
    openInBrowser: () => undefined,
    environment: {},
    clock: systemClock,
    signal: new AbortController().signal,
    colours: false,
    showsProgress: false,
    columns: undefined,
    programName: 'reloader',
    ...rest,
  });
  return { code, out: out.join(''), err: err.join('') };
}
