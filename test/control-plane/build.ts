/**
 * Finds or builds the binaries and manifests of a control plane.
 *
 * In: the name of an artifact. Out: its path, from the directory `KUBEBUILDER_ASSETS` where that holds it,
 * else from a cache outside the checkout, which is filled by `go build` on first use.
 *
 * Guarantees that a cache entry is complete as soon as it is visible (it is renamed into place), that an entry
 * is built once when several processes ask for it at the same time, and that an interrupted build leaves no
 * process behind. Old entries are never removed.
 */
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { goBuild, goModuleDirectory, requireGo } from './go.ts';
import { withLock } from './lock.ts';
import {
  type ArtifactName,
  buildFlags,
  cacheKey,
  type ModuleDefinition,
  type ModuleName,
  moduleDirectory,
  moduleOf,
  modules,
} from './modules.ts';

export interface BuildOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly log?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** The path of a binary (or of a directory of manifests); builds its module first if needed. */
export async function controlPlaneBinary(name: ArtifactName, options: BuildOptions = {}): Promise<string> {
  const env = options.env ?? process.env;
  const ready = await fromAssets(name, env);
  if (ready !== undefined) return ready;
  return join(await buildModule(moduleOf(name, env).name, options), 'bin', name);
}

/** Builds or finds all artifacts of the given modules. */
export async function buildAll(names: readonly ModuleName[], options: BuildOptions = {}): Promise<void> {
  const env = options.env ?? process.env;
  for (const name of names) {
    for (const artifact of modules[name].artifacts) {
      if ((await fromAssets(artifact, env)) === undefined) await buildModule(name, options);
    }
  }
}

export function cacheRoot(env: NodeJS.ProcessEnv = process.env): string {
  const configured = env.RELOADER_CONTROL_PLANE_CACHE;
  if (configured !== undefined && configured !== '') return configured;
  return join(homedir(), '.cache', 'reloader-control-plane');
}

async function fromAssets(name: ArtifactName, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const assets = env.KUBEBUILDER_ASSETS;
  if (assets === undefined || assets === '') return undefined;
  if (!(await exists(assets))) {
    throw new Error(`KUBEBUILDER_ASSETS names ${assets}, which does not exist: correct it or unset it`);
  }
  const path = join(assets, name);
  return (await exists(path)) ? path : undefined;
}

async function buildModule(name: ModuleName, options: BuildOptions): Promise<string> {
  const module = modules[name];
  const directory = moduleDirectory(name);
  const goMod = await readFile(join(directory, 'go.mod'), 'utf8');
  const goSum = await readFile(join(directory, 'go.sum'), 'utf8');
  const { platform, arch } = process;
  const root = cacheRoot(options.env);
  const entry = join(root, cacheKey({ module, goMod, goSum, platform, arch }));
  if (await exists(entry)) return entry;

  const log = options.log ?? logToStandardError;
  await mkdir(root, { recursive: true });
  const onWait = (holder: number) => log(`${name}: process ${holder} is building it, waiting`);
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  await withLock(`${entry}.lock`, { onWait, ...signal }, async () => {
    if (await exists(entry)) return;
    await fillEntry(entry, module, { ...options, log }, goMod);
  });
  return entry;
}

async function fillEntry(
  entry: string,
  module: ModuleDefinition,
  options: BuildOptions & { readonly log: (line: string) => void },
  goMod: string,
): Promise<void> {
  const go = { ...options, module: module.name };
  await requireGo(go);
  await removeAbandoned(entry);
  const partial = await mkdtemp(`${entry}.partial-`);
  try {
    const bin = join(partial, 'bin');
    await mkdir(bin);
    // A separate build cache can be deleted afterwards: it is eight times the size of the binaries and is of no use
    // to another build of the same versions. It stays after a failure, for the next attempt.
    const compiled = `${entry}.compiled`;
    for (const step of module.steps) {
      const output = step.as === undefined ? `${bin}/` : join(bin, step.as);
      const args = [...buildFlags(module, goMod), '-o', output, ...step.packages];
      options.log(`${module.name}: building ${step.packages.join(' ')}`);
      await goBuild({ ...go, args, compiled });
    }
    for (const copy of module.copies) {
      const source = join(await goModuleDirectory(copy.module, go), copy.directory);
      const files = (await readdir(source)).filter((file) => copy.files.test(file));
      for (const file of files) await cp(join(source, file), join(bin, copy.as, file));
    }
    await publish(partial, entry);
    await rm(compiled, { recursive: true, force: true });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Leftovers of killed builds; the lock proves that none of them still runs. */
async function removeAbandoned(entry: string): Promise<void> {
  const root = join(entry, '..');
  const prefix = `${entry.slice(root.length + 1)}.partial-`;
  for (const name of await readdir(root)) {
    if (name.startsWith(prefix)) await rm(join(root, name), { recursive: true, force: true });
  }
}

async function publish(partial: string, entry: string): Promise<void> {
  try {
    await rename(partial, entry);
  } catch (error) {
    // Another process was first; its build is the same.
    if (!(await exists(entry))) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function logToStandardError(line: string): void {
  process.stderr.write(`[control-plane] ${line}\n`);
}
