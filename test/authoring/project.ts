/** An author's project outside this repository: an empty folder with the packed packages, and nothing else of ours. */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Project {
  readonly folder: string;
  /** Compiles with the strictest settings; throws with the compiler's output. */
  compile(): void;
  remove(): void;
}

/** The result of `npm install` of the two tarballs; third-party packages are those of this repository. */
export function createProject(files: Readonly<Record<string, string>>): Project {
  const folder = mkdtempSync(join(tmpdir(), 'author-'));
  installPackages(folder);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'author', private: true, type: 'module' }),
  );
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  return {
    folder,
    compile: () =>
      void run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], folder),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The result of `npm install`: our packages from their tarballs, and the others, with their commands. */
export function installPackages(folder: string, commands: Readonly<Record<string, string>> = {}): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  for (const name of ['runtime', 'minicluster']) unpack(name, join(modules, '@reloader', name), modules);
  for (const name of ['@types/node', 'undici-types', ...Object.keys(commands)]) link(name, modules);
  for (const [name, file] of Object.entries(commands))
    symlinkSync(
      join(root, 'node_modules', name, file),
      join(modules, '.bin', basename(file).split('.')[0] ?? ''),
    );
}

const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noImplicitOverride: true,
    noPropertyAccessFromIndexSignature: true,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: true,
    types: ['node'],
    rootDir: 'src',
    outDir: 'dist',
  },
  include: ['src'],
};

/** The packed package, and links to its dependencies. */
export function unpack(name: string, target: string, modules?: string): void {
  const from = join(root, 'packages', name);
  mkdirSync(target, { recursive: true });
  run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', target], from);
  const tarball = readdirSync(target).find((file) => file.startsWith(`reloader-${name}-`));
  if (!tarball) throw new Error(`npm pack of ${name} left no tarball`);
  run('tar', ['xzf', tarball, '--strip-components=1'], target);
  rmSync(join(target, tarball));
  const { dependencies = {} } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  for (const each of modules ? Object.keys(dependencies) : [])
    if (!each.startsWith('@reloader/')) link(each, modules ?? '');
}

function link(name: string, modules: string): void {
  const target = join(modules, name);
  mkdirSync(dirname(target), { recursive: true });
  try {
    symlinkSync(join(root, 'node_modules', name), target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Its output; throws with all of it on failure. */
export function run(command: string, args: readonly string[], cwd: string): string {
  try {
    return execFileSync(command, args, { cwd, stdio: 'pipe' }).toString();
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: Buffer; stderr?: Buffer };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}`, { cause: error });
  }
}

/** Files of a folder of this repository, by path. */
export function filesOf(
  folder: string,
  into: string,
  wanted: (name: string) => boolean,
): Record<string, string> {
  const from = join(root, folder);
  return Object.fromEntries(
    readdirSync(from)
      .filter((name) => wanted(name))
      .map((name) => [`${into}/${name}`, readFileSync(join(from, name), 'utf8')]),
  );
}
