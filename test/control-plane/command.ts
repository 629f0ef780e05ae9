/** Runs commands to completion; they are killed when aborted, and when this process ends. */
import { getPriority, setPriority } from 'node:os';
import { spawnGuarded } from './lifeline.ts';

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Standard input: text, or an object that is written as JSON (`kubectl apply -f -` accepts it). */
  readonly input?: string | object;
  /** How nice it is at least: a process that is nicer already stays so. */
  readonly niceness?: number;
  readonly onErrorText?: (text: string) => void;
  readonly signal?: AbortSignal;
}

export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that exited with a status other than 0. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;

  constructor(command: string, { status, stdout, stderr }: CommandResult) {
    super(`\`${command}\` ended with status ${status}: ${stderr.trim()}`);
    this.status = status;
    this.stdout = stdout;
    this.stderr = stderr;
  }
}

/** Runs a command and returns its output, whatever its status. */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { input, niceness, onErrorText, signal, cwd, env = process.env } = options;
  signal?.throwIfAborted();
  const child = spawnGuarded(file, args, {
    output: 'pipe',
    env,
    ...(cwd === undefined ? {} : { cwd }),
    ...(input === undefined ? {} : { input: 'pipe' }),
  });
  if (niceness !== undefined && child.pid !== undefined)
    setPriority(child.pid, Math.max(niceness, getPriority()));
  const abort = () => child.kill('SIGKILL');
  signal?.addEventListener('abort', abort, { once: true });
  try {
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
      onErrorText?.(chunk);
    });
    // The command may exit without having read all input; its status and error output then say why.
    child.stdin?.on('error', () => {});
    child.stdin?.end(typeof input === 'object' ? JSON.stringify(input) : input);
    const status = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    signal?.throwIfAborted();
    return { status, stdout, stderr };
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** The standard output of a command that must succeed. */
export async function outputOf(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const result = await runCommand(file, args, options);
  if (result.status !== 0) throw new CommandError([file.split('/').at(-1), ...args].join(' '), result);
  return result.stdout;
}
