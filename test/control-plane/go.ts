/** The calls of the Go command that a build needs. */
import { runCommand } from './command.ts';
import { type ModuleName, minimumGo, moduleDirectory } from './modules.ts';

export interface GoOptions {
  readonly module: ModuleName;
  readonly env?: NodeJS.ProcessEnv;
  readonly log?: (line: string) => void;
  readonly signal?: AbortSignal;
}

export interface GoBuildOptions extends GoOptions {
  /** Flags and packages. */
  readonly args: readonly string[];
  /** The build cache of this build. */
  readonly compiled: string;
}

/** No suitable Go and no binaries: the message says in one line what would help. */
export class GoMissingError extends Error {
  override readonly name = 'GoMissingError';

  constructor(module: ModuleName, found: string) {
    const wanted = `${minimumGo.major}.${minimumGo.minor}`;
    super(
      `the real control plane needs Go >= ${wanted} or KUBEBUILDER_ASSETS pointing at ready binaries: ` +
        `those of ${module} are neither there nor in the cache, and ${found}`,
    );
  }
}

const progressInterval = 15_000;
const lowPriority = 10;

/** Checks the version that Go uses for this module, which may differ from the installed one. */
export async function requireGo(options: GoOptions): Promise<void> {
  const { status, stdout, stderr } = await go(['version'], options);
  if (status !== 0) throw new GoMissingError(options.module, `\`go version\` fails (${firstLine(stderr)})`);
  const version = /\bgo(\d+)\.(\d+)/.exec(stdout);
  const major = Number(version?.[1]);
  const minor = Number(version?.[2]);
  const recent = major > minimumGo.major || (major === minimumGo.major && minor >= minimumGo.minor);
  if (!recent) throw new GoMissingError(options.module, `\`go version\` says ${firstLine(stdout)}`);
}

/** Runs `go build`, reporting progress every 15 seconds. */
export async function goBuild({ args, compiled, ...options }: GoBuildOptions): Promise<void> {
  const { module, log = () => {}, env = process.env } = options;
  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(0)} s`;
  let packages = 0;
  const onErrorText = (text: string) => {
    packages += text.split('\n').length - 1;
  };
  const progress = () => log(`${module}: ${packages} packages compiled, ${seconds()}`);
  const timer = setInterval(progress, progressInterval);
  try {
    const buildEnv = { ...env, CGO_ENABLED: '0', GOCACHE: compiled };
    const result = await go(['build', '-v', ...args], { ...options, env: buildEnv }, onErrorText);
    if (result.status !== 0) throw failed('build', options, result);
  } finally {
    clearInterval(timer);
  }
  progress();
}

/** The directory of a required module's sources. */
export async function goModuleDirectory(path: string, options: GoOptions): Promise<string> {
  const result = await go(['list', '-m', '-f', '{{.Dir}}', path], options);
  if (result.status !== 0) throw failed('list', options, result);
  return result.stdout.trim();
}

function go(args: readonly string[], options: GoOptions, onErrorText?: (text: string) => void) {
  const { module, env = process.env, signal } = options;
  return runCommand('go', args, {
    cwd: moduleDirectory(module),
    env,
    niceness: lowPriority,
    ...(onErrorText === undefined ? {} : { onErrorText }),
    ...(signal === undefined ? {} : { signal }),
  });
}

function failed(
  command: string,
  { module }: GoOptions,
  result: { status: number | null; stderr: string },
): Error {
  const end = result.stderr.trim().split('\n').slice(-20).join('\n');
  return new Error(`go ${command} in ${moduleDirectory(module)} ended with status ${result.status}:\n${end}`);
}

function firstLine(output: string): string {
  return output.trim().split('\n')[0] ?? '';
}
