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
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Project {
  readonly folder: string;
  /** Compiles with the strictest settings; throws with the compiler's words. */
  compile(): void;
  remove(): void;
}

/** As `npm install` of the two tarballs would leave it; third-party packages are those of this repository. */
export function createProject(files: Readonly<Record<string, string>>): Project {
  const folder = mkdtempSync(join(tmpdir(), 'author-'));
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@reloader'), { recursive: true });
  for (const name of ['runtime', 'minicluster']) install(name, folder, modules);
  link('@types/node', modules);
  link('undici-types', modules);
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
      run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], folder),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
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

function install(name: string, folder: string, modules: string): void {
  const from = join(root, 'packages', name);
  run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], from);
  const tarball = readdirSync(folder).find((file) => file.startsWith(`reloader-${name}-`));
  if (!tarball) throw new Error(`npm pack of ${name} left no tarball`);
  const target = join(modules, '@reloader', name);
  mkdirSync(target);
  run('tar', ['xzf', tarball, '--strip-components=1', '-C', target], folder);
  rmSync(join(folder, tarball));
  const { dependencies = {} } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  for (const each of Object.keys(dependencies)) if (!each.startsWith('@reloader/')) link(each, modules);
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

function run(command: string, args: readonly string[], cwd: string): void {
  try {
    execFileSync(command, args, { cwd, stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: Buffer; stderr?: Buffer };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}`, { cause: error });
  }
}

/** Files of a folder of this repository, as a project wants them. */
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
