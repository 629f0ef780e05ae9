/**
 * Shared by all stages of one cluster test file: the control plane, the program, and one recording of everything that
 * is stored, from which each stage takes the events of its own namespaces.
 */
import { setMaxListeners } from 'node:events';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Client,
  createClient,
  kinds,
  loadConfig,
  NotFoundError,
  type ResourceType,
} from '@reloader/runtime';
import { build, type Plugin } from 'esbuild';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { poll } from '../control-plane/poll.ts';
import type { Chronicle, ChronicleObject } from './chronicle.ts';
import { ContentReader } from './content-reader.ts';
import { installDefinitions, installForeignKinds } from './definitions.ts';
import { FOREIGN, RECORDED, ReloaderConfig, Rollout } from './kinds.ts';

const PACKAGE = new URL('../../packages/operator/', import.meta.url);

export interface TheatreOptions {
  /** Serves Argo Rollouts, DeploymentConfigs and SecretProviderClasses. */
  readonly foreignKinds?: boolean;
  /** Runs the controller of Argo Rollouts, with its definitions. */
  readonly argoRollouts?: boolean;
}

export class Theatre {
  readonly cluster: ControlPlane;
  readonly client: Client;
  /** The operator as one file. */
  readonly program: string;
  readonly #directory: string;
  readonly #stop = new AbortController();
  readonly #chronicles = new Set<Chronicle>();
  readonly #watching: Promise<void>[] = [];
  readonly #reader: ContentReader;

  static async open(cluster: ControlPlane, options: TheatreOptions = {}): Promise<Theatre> {
    const { foreignKinds = false, argoRollouts = false } = options;
    const client = createClient({ config: await loadConfig({ kubeconfig: cluster.kubeconfig }) });
    const directory = await mkdtemp(join(tmpdir(), 'reloader-scenarios-'));
    // The program looks for its package.json two folders above itself, as in the package.
    const program = join(directory, 'dist', 'cli', 'main.js');
    await bundle(join(directory, 'dist'));
    await copyFile(fileURLToPath(new URL('package.json', PACKAGE)), join(directory, 'package.json'));
    // The program resolves its lazily loaded dependencies here, as in the package.
    await symlink(fileURLToPath(new URL('../../node_modules', PACKAGE)), join(directory, 'node_modules'));
    await installDefinitions(client);
    if (foreignKinds) await installForeignKinds(client);
    const theatre = new Theatre(cluster, client, program, directory);
    await poll(async () => (await client.list(ReloaderConfig)).items.length === 0, {
      what: 'the ReloaderConfig resource to be served',
      timeout: 20_000,
    });
    const isServed = (type: ResourceType): boolean =>
      foreignKinds || !FOREIGN.has(type) || (argoRollouts && type === Rollout);
    await theatre.#watchAll(RECORDED.filter(isServed));
    return theatre;
  }

  private constructor(cluster: ControlPlane, client: Client, program: string, directory: string) {
    this.cluster = cluster;
    this.client = client;
    this.program = program;
    this.#directory = directory;
    this.#reader = new ContentReader(client);
    // One watch for each recorded kind listens to it.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Sends all further events to this chronicle. */
  follow(chronicle: Chronicle): () => void {
    this.#chronicles.add(chronicle);
    return () => void this.#chronicles.delete(chronicle);
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the test is over'));
    await Promise.allSettled(this.#watching);
    await this.client.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #watchAll(types: readonly ResourceType[]): Promise<void> {
    for (const type of types) {
      let from: string | undefined;
      await poll(
        async () => {
          from = (await this.client.list(type, { limit: 1 })).metadata.resourceVersion;
          return from !== undefined;
        },
        { what: `a list of ${type.plural}`, timeout: 20_000 },
      );
      this.#watching.push(this.#watch(type, from ?? ''));
    }
  }

  /** Every version counts, so a stream that ends is resumed from its last version. */
  async #watch(type: ResourceType, from: string): Promise<void> {
    let resourceVersion = from;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const stream = await this.client.watch(type, { resourceVersion, allowWatchBookmarks: true, signal });
        for await (const event of stream) {
          if (event.type === 'BOOKMARK') {
            resourceVersion = event.resourceVersion;
            continue;
          }
          resourceVersion = event.object.metadata.resourceVersion;
          const object = event.object as unknown as ChronicleObject;
          for (const chronicle of this.#chronicles) chronicle.note(event.type, type.kind, object);
          void this.#read(event.type, type.kind, object);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof NotFoundError) return;
      }
    }
  }

  async #read(type: string, kind: string, object: ChronicleObject): Promise<void> {
    try {
      await this.#reader.note(type, kind, object);
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    }
  }

  /** Deletes the namespace of a finished scenario, with everything in it. */
  async empty(namespace: string): Promise<void> {
    await this.client.delete(kinds.Namespace, { name: namespace }).catch(() => undefined);
  }
}

async function bundle(outdir: string): Promise<void> {
  await build({
    entryPoints: ['src/cli/main.ts', 'src/template/worker.ts', 'src/validate/worker.ts'].map((each) =>
      fileURLToPath(new URL(each, PACKAGE)),
    ),
    outdir,
    outbase: fileURLToPath(new URL('src', PACKAGE)),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@reloader/source'],
    logLevel: 'warning',
    plugins: [withoutSubcommands],
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  });
}

/** The subcommands are loaded on demand and not used here: without them the operator starts faster. */
const withoutSubcommands: Plugin = {
  name: 'without-subcommands',
  setup(builder) {
    builder.onResolve({ filter: /\/commands\// }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};
