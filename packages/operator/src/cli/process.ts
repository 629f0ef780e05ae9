/** The CommandIO of a real process. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { createClient, loadConfig, systemClock } from '@reloader/runtime';
import { runOperator } from '../operator.ts';
import { packageVersion } from '../settings/version.ts';
import { openInBrowser } from '../terminal/open-page.ts';
import { isPlugin, startsByItself } from './bare.ts';
import type { CommandIO } from './command-io.ts';
import { CommandFailure } from './failure.ts';
import { operate } from './operate.ts';

const MANIFEST = /\.(ya?ml|json)$/i;

export function processSurroundings(signal: AbortSignal): CommandIO {
  const { env, stdout, stderr } = process;
  return {
    startsByItself: startsByItself(process.stdin.isTTY === true, env, process.argv[1]),
    operate: async (flags) => {
      const code = await operate(flags, env, runOperator);
      // Does not wait for open handles: everything that had to end in order has ended.
      process.exit(code);
    },
    print: (text) => void stdout.write(text),
    complain: (text) => void stderr.write(text),
    connect: async ({ kubeconfig, context }) => {
      const config = await loadConfig({
        ...(kubeconfig !== undefined && { kubeconfig }),
        ...(context !== undefined && { context }),
      });
      const client = createClient({
        config,
        userAgent: `reloader-cli/${packageVersion()}`,
        fieldManager: 'reloader-cli',
        // A person waits: the second failure is reported.
        retry: { maxAttempts: 2 },
      });
      return {
        client,
        namespace: config.namespace || 'default',
        source: config.source,
        forward: async (target, each) =>
          (await import('./port-forward.ts')).openPortForward(config, target, each),
      };
    },
    fetch: async (url, each) => {
      const response = await fetch(url, { signal: each, headers: { accept: 'application/json' } });
      return { status: response.status, body: await response.text() };
    },
    openInBrowser,
    ask: (question) => ask(question, signal),
    readFile: (path) =>
      path === '-' ? readAll() : readFile(path, 'utf8').catch((error) => unreadable(path, error)),
    listFiles: (path) => listFiles(path),
    environment: env,
    clock: systemClock,
    signal,
    colours: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
    showsProgress: stderr.isTTY === true,
    columns: stdout.isTTY ? stdout.columns : undefined,
    programName: programName(process.argv[1]),
  };
}

export function programName(path: string | undefined): string {
  return isPlugin(path) ? 'kubectl reloader' : 'reloader';
}

async function ask(question: string, signal: AbortSignal): Promise<string | undefined> {
  if (process.stdin.isTTY !== true) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question, { signal });
  } finally {
    lines.close();
  }
}

async function readAll(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function listFiles(path: string): Promise<readonly string[]> {
  if (path === '-') return [path];
  const found = await stat(path).catch((error) => unreadable(path, error));
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && MANIFEST.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function unreadable(path: string, error: NodeJS.ErrnoException): never {
  const why = error.code === 'ENOENT' ? 'there is no such file or folder' : error.message;
  throw new CommandFailure(`Cannot read ${path}: ${why}`);
}
