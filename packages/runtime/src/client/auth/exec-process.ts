/** Runs a credential plugin once and returns its output. */
import { ConfigError } from '../errors.ts';
import { type ExecSpec, execInfo } from './exec-credential.ts';

const MAX_OUTPUT_BYTES = 1024 * 1024;
const STDERR_SHOWN = 2000;

export interface PluginRun {
  readonly interactive: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

export async function runPlugin(spec: ExecSpec, run: PluginRun): Promise<string> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    const child = spawn(spec.command, [...spec.args], {
      env: {
        ...run.environment,
        ...Object.fromEntries(spec.env),
        KUBERNETES_EXEC_INFO: execInfo(spec, run.interactive),
      },
      stdio: [run.interactive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
      signal: run.signal,
    });
    let printed = '';
    let complaints = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (printed.length > MAX_OUTPUT_BYTES) child.kill();
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaints = `${complaints}${text}`.slice(-STDERR_SHOWN);
      if (run.interactive) process.stderr.write(text);
    });
    child.on('error', (error) => {
      if (run.signal.aborted) reject(run.signal.reason);
      else reject(cannotStart(spec, error));
    });
    child.on('close', (code, signal) => {
      if (code === 0) resolve(printed);
      else {
        const how = code === null ? `was ended by ${signal}` : `ended with code ${code}`;
        reject(
          new ConfigError(
            `The credential plugin ${spec.command} of ${spec.owner} ${how}: ${complaints.trim() || 'it said nothing on stderr'}`,
          ),
        );
      }
    });
  });
}

function cannotStart(spec: ExecSpec, error: NodeJS.ErrnoException): ConfigError {
  const why =
    error.code === 'ENOENT'
      ? 'it is not installed or not in PATH'
      : error.code === 'EACCES'
        ? 'it is not executable'
        : error.message;
  const hint = spec.installHint ? `. ${spec.installHint.trim()}` : '';
  return new ConfigError(
    `Cannot start the credential plugin ${spec.command} of ${spec.owner}: ${why}${hint}`,
    { cause: error },
  );
}
