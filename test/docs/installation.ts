/**
 * The operator as the quick start installs it: by the chart, on the real control plane. KWOK runs no containers, so the
 * test runs the pod's process here, with the arguments of the Deployment and as its ServiceAccount. Between blocks it
 * applies changes of the Deployment, as a kubelet would.
 */
import type { ChildProcess } from 'node:child_process';
import { chmod, copyFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { controlPlaneBinary } from '../control-plane/build.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { spawnGuarded } from '../control-plane/lifeline.ts';
import { poll } from '../control-plane/poll.ts';
import { freePorts } from '../control-plane/ports.ts';
import { ROOT } from './blocks.ts';

const MOST_LINES = 20;
const DEFINITIONS = ['reloaderconfigs.reloader.stakater.com', 'podconfigmapconfigs.podconfig.example.com'];
const PACKAGE = new URL('../../packages/operator/', import.meta.url);

/** The `reloader` command as one file, in `directory`/dist/cli, and a folder with all commands that pages use. */
export async function buildCommands(
  directory: string,
): Promise<{ readonly program: string; readonly bin: string }> {
  // The program looks for its package.json two folders above itself, as in the package.
  const program = join(directory, 'dist', 'cli', 'main.js');
  await build({
    entryPoints: ['src/cli/main.ts', 'src/template/worker.ts', 'src/validate/worker.ts'].map((each) =>
      fileURLToPath(new URL(each, PACKAGE)),
    ),
    outdir: join(directory, 'dist'),
    outbase: fileURLToPath(new URL('src', PACKAGE)),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@reloader/source'],
    logLevel: 'warning',
    // Under another name, because the bundled code may import `createRequire` as well.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  });
  await copyFile(fileURLToPath(new URL('package.json', PACKAGE)), join(directory, 'package.json'));
  // Lazily loaded dependencies are not in the file.
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  const bin = join(directory, 'bin');
  await mkdir(bin);
  for (const name of ['kubectl', 'helm'] as const)
    await symlink(await controlPlaneBinary(name), join(bin, name));
  for (const name of ['reloader', 'kubectl-reloader']) {
    await writeFile(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
    await chmod(join(bin, name), 0o755);
  }
  return { program, bin };
}

/** A folder that looks like a clone of this repository, in which a page may save its own files. */
export async function cloneInto(directory: string): Promise<void> {
  await mkdir(directory);
  for (const name of await readdir(ROOT)) {
    if (!name.startsWith('.')) await symlink(join(ROOT, name), join(directory, name));
  }
}

export interface Installation {
  /** Restores the state after the quick start, whatever a page changed. */
  restore(): Promise<void>;
  /** Resolves when the process matches the Deployment and is ready. */
  current(): Promise<void>;
  stop(): Promise<void>;
}

export async function installOperator(cluster: ControlPlane, program: string): Promise<Installation> {
  const pod = new PlayedPod(cluster, program);
  await pod.restore();
  return pod;
}

class PlayedPod implements Installation {
  readonly #cluster: ControlPlane;
  readonly #program: string;
  #args = '';
  /** The state after the quick start. */
  #untouched: string | undefined;
  #child: ChildProcess | undefined;
  #port = 0;

  constructor(cluster: ControlPlane, program: string) {
    this.#cluster = cluster;
    this.#program = program;
  }

  async restore(): Promise<void> {
    await this.current();
    if (this.#args === this.#untouched) return;
    // Helm does not adopt objects that a page created by kubectl.
    await this.#removeDefinitions();
    const release = ['reloader', join(ROOT, 'charts/reloader'), '-n', 'reloader', '--create-namespace'];
    // A page may have deleted the namespace, and the deletion takes a moment.
    await poll(
      async () => {
        const values = ['--reset-values', '--set', 'fullnameOverride=reloader'];
        return (await this.#cluster.helm(['upgrade', '--install', ...release, ...values])) !== '';
      },
      { what: 'the chart to be installed', timeout: 30_000, every: 1_000 },
    );
    await this.current();
    this.#untouched = this.#args;
  }

  /** If a page removed the operator before it had finished, finalizers are left that nothing else removes. */
  async #removeDefinitions(): Promise<void> {
    const cluster = this.#cluster;
    await cluster.kubectl(['delete', 'crd', '--ignore-not-found', '--wait=false', ...DEFINITIONS]);
    const named = '{range .items[*]}{.metadata.namespace} {.metadata.name}{"\\n"}{end}';
    const left = await cluster
      .kubectl(['get', 'podconfigmapconfigs', '-A', '--ignore-not-found', `-o=jsonpath=${named}`])
      .catch(() => '');
    for (const [namespace = '', name = ''] of left.split('\n').map((line) => line.split(' '))) {
      if (name === '') continue;
      const free = ['patch', 'podconfigmapconfig', name, '-n', namespace, '--type=merge'];
      await cluster.kubectl([...free, '-p', '{"metadata":{"finalizers":null}}']).catch(() => undefined);
    }
    await cluster.kubectl(['wait', '--for=delete', '--timeout=60s', 'crd', ...DEFINITIONS]);
  }

  async current(): Promise<void> {
    const read = ['get', 'deployment', 'reloader', '-n', 'reloader', '--ignore-not-found'];
    const jsonpath = '-o=jsonpath={.metadata.uid}{.spec.template.spec.containers[0].args}';
    const found = await this.#cluster.kubectl([...read, jsonpath]);
    if (found === this.#args) return;
    await this.stop();
    this.#args = found;
    if (found !== '') await this.#begin(JSON.parse(found.slice(found.indexOf('['))) as string[]);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  async #begin(args: readonly string[]): Promise<void> {
    const token = await this.#cluster.kubectl(['create', 'token', 'reloader', '-n', 'reloader']);
    const kubeconfig = await this.#cluster.kubeconfigFor({ token: token.trim() }, { namespace: 'reloader' });
    const [port = 0] = await freePorts(1);
    this.#port = port;
    const address = `--http-bind-address=127.0.0.1:${port}`;
    this.#child = spawnGuarded(process.execPath, [this.#program, ...args, address], {
      output: 'pipe',
      env: {
        PATH: process.env.PATH,
        HOME: '/nonexistent',
        KUBECONFIG: kubeconfig,
        POD_NAME: 'reloader-0',
        POD_NAMESPACE: 'reloader',
        RELOADER_NAMESPACE: 'reloader',
        RELOADER_DEPLOYMENT_NAME: 'reloader',
      },
    });
    const said: string[] = [];
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      createInterface(stream as Readable).on('line', (line) => {
        said.push(line);
        if (said.length > MOST_LINES) said.shift();
      });
    }
    await poll(async () => (await fetch(`http://127.0.0.1:${this.#port}/readyz`)).status === 200, {
      what: 'the operator to be ready',
      timeout: 30_000,
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${said.join('\n')}`, { cause: error });
    });
  }
}
