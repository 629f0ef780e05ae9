/** The command line of `minicluster`. */
import { parseArgs } from 'node:util';

export interface CommandLine {
  readonly kubeconfig: string | undefined;
  readonly port: number;
  readonly host: string;
  readonly tls: boolean;
  readonly workloads: boolean;
  readonly seed: number | undefined;
}

export type Parsed =
  | { readonly action: 'run'; readonly options: CommandLine }
  | { readonly action: 'help' | 'version' }
  | { readonly action: 'refuse'; readonly why: string };

export const USAGE = `Usage: minicluster [options]

Runs a Kubernetes API server with simulated workloads inside this process, until Ctrl-C.

  --write-kubeconfig FILE  write a kubeconfig for the administrator to FILE
  --port N                 port to listen on (default: any free one)
  --host ADDRESS           address to listen on (default: 127.0.0.1)
  --http                   plain HTTP instead of HTTPS, for clients other than kubectl, which sends no token over it
  --no-workloads           no simulated controllers: an API server and nothing else
  --seed N                 the same uids, names and tokens on every run
  --help                   show this text
  --version                show the version
`;

export function parseCommandLine(args: readonly string[]): Parsed {
  let values: ReturnType<typeof read>;
  try {
    values = read(args);
  } catch (error) {
    return { action: 'refuse', why: error instanceof Error ? error.message : String(error) };
  }
  if (values.help) return { action: 'help' };
  if (values.version) return { action: 'version' };
  const port = wholeNumber(values.port ?? '0', 65_535);
  if (port === undefined)
    return { action: 'refuse', why: `--port must be a number from 0 to 65535, not '${values.port}'` };
  const seed = values.seed === undefined ? undefined : wholeNumber(values.seed, 2 ** 32 - 1);
  if (values.seed !== undefined && seed === undefined) {
    return {
      action: 'refuse',
      why: `--seed must be a number from 0 to ${2 ** 32 - 1}, not '${values.seed}'`,
    };
  }
  return {
    action: 'run',
    options: {
      kubeconfig: values['write-kubeconfig'],
      port,
      host: values.host ?? '127.0.0.1',
      tls: !values.http,
      workloads: !values['no-workloads'],
      seed,
    },
  };
}

function read(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    strict: true,
    allowPositionals: false,
    options: {
      'write-kubeconfig': { type: 'string' },
      port: { type: 'string' },
      host: { type: 'string' },
      http: { type: 'boolean' },
      'no-workloads': { type: 'boolean' },
      seed: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  }).values;
}

function wholeNumber(text: string, most: number): number | undefined {
  const value = Number(text);
  return /^[0-9]+$/.test(text) && value <= most ? value : undefined;
}
