/** The control plane from the shell; see `usage`. */
import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type BackgroundState, findRunning, hold, stopRunning } from './background.ts';
import { buildAll, cacheRoot, controlPlaneBinary } from './build.ts';
import { withLock } from './lock.ts';
import { kubernetesModule, type ModuleName } from './modules.ts';
import { poll } from './poll.ts';
import { type ControlPlaneOptions, startControlPlane } from './start.ts';

const usage = `Usage: tsx test/control-plane/cli.ts COMMAND

  build [--all]   build what is missing: etcd, Kubernetes and KWOK; with --all also Helm and Argo Rollouts
  start           start a control plane in the background and print its kubeconfig
      --api-only        etcd and kube-apiserver alone
      --argo-rollouts   with Argo Rollouts' controller
      --foreground      stay in the foreground until Ctrl-C
  status          print whether it runs
  stop            stop it and remove its data

RELOADER_TEST_KUBERNETES chooses an older Kubernetes: 1.30 or 1.33.`;

const startTimeout = 120_000;

interface StartFlags {
  readonly apiOnly: boolean;
  readonly argoRollouts: boolean;
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      all: { type: 'boolean', default: false },
      'api-only': { type: 'boolean', default: false },
      'argo-rollouts': { type: 'boolean', default: false },
      foreground: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [command, ...rest] = positionals;
  if (values.help) return say(usage);
  if (rest.length > 0) throw new Error(`unexpected argument ${rest[0]}\n\n${usage}`);
  const flags: StartFlags = { apiOnly: values['api-only'], argoRollouts: values['argo-rollouts'] };
  switch (command) {
    case 'build':
      return build(values.all);
    case 'start':
      return values.foreground ? startHere(flags) : startInBackground(flags);
    case 'status':
      return status();
    case 'stop':
      return stop();
    default:
      throw new Error(
        `${command === undefined ? 'no command given' : `unknown command ${command}`}\n\n${usage}`,
      );
  }
}

async function build(all: boolean): Promise<number> {
  // Of an older Kubernetes its servers alone: what else a control plane needs, it shares with the newest.
  const older = kubernetesModule(process.env);
  await buildAll(older === 'kubernetes' || all ? modulesFor(all, all) : [older]);
  return say(`ready in ${cacheRoot()}`);
}

async function startHere(flags: StartFlags): Promise<number> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => interrupted.abort());
  const controlPlane = await startControlPlane({ ...optionsFor(flags), signal: interrupted.signal });
  await describe(controlPlane);
  await hold(controlPlane, interrupted.signal);
  return say('stopped');
}

async function startInBackground(flags: StartFlags): Promise<number> {
  await mkdir(cacheRoot(), { recursive: true });
  // In the foreground, so that its progress is visible.
  await buildAll(modulesFor(false, flags.argoRollouts));
  return withLock(join(cacheRoot(), 'cluster.lock'), {}, async () => {
    const running = await findRunning();
    if (running !== undefined) {
      say('already running');
      return describe(running);
    }
    const logFile = join(cacheRoot(), 'cluster.log');
    const log = openSync(logFile, 'w');
    const holder = spawn(
      process.execPath,
      [
        ...process.execArgv,
        fileURLToPath(import.meta.url),
        'start',
        '--foreground',
        ...(flags.apiOnly ? ['--api-only'] : []),
        ...(flags.argoRollouts ? ['--argo-rollouts'] : []),
      ],
      { detached: true, stdio: ['ignore', log, log] },
    );
    const failed = new AbortController();
    holder.once('exit', () => failed.abort(new Error(readFileSync(logFile, 'utf8').trim())));
    let state: BackgroundState | undefined;
    const started = async () => {
      state = await findRunning();
      return state !== undefined;
    };
    await poll(started, { what: 'the control plane to start', timeout: startTimeout }, failed.signal).catch(
      (error: unknown) => {
        holder.kill('SIGTERM');
        throw failed.signal.aborted ? failed.signal.reason : error;
      },
    );
    holder.unref();
    return state === undefined ? 1 : describe(state);
  });
}

async function status(): Promise<number> {
  const running = await findRunning();
  if (running !== undefined) return describe(running);
  say('not running');
  return 1;
}

async function stop(): Promise<number> {
  const running = await findRunning();
  if (running === undefined) return say('not running');
  await stopRunning(running);
  return say('stopped');
}

async function describe({
  server,
  kubeconfig,
}: Pick<BackgroundState, 'server' | 'kubeconfig'>): Promise<number> {
  const kubectl = await controlPlaneBinary('kubectl');
  return say(
    `control plane at ${server}, administrator's kubeconfig:\n\n` +
      `  export KUBECONFIG=${kubeconfig}\n  ${kubectl} get nodes\n`,
  );
}

function optionsFor({ apiOnly, argoRollouts }: StartFlags): ControlPlaneOptions {
  return { workloads: !apiOnly, argoRollouts };
}

function modulesFor(helm: boolean, argoRollouts: boolean): ModuleName[] {
  const chosen = kubernetesModule(process.env);
  return [
    'kubernetes',
    ...(chosen === 'kubernetes' ? [] : [chosen]),
    ...(helm ? (['helm'] as const) : []),
    ...(argoRollouts ? (['argo-rollouts'] as const) : []),
  ];
}

function say(line: string): number {
  process.stdout.write(`${line}\n`);
  return 0;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
