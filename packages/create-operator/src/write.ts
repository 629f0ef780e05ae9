/** Fills in the templates and writes them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Project, UsageError } from './options.ts';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

/** The paths that were written, below the folder. */
export function writeProject(project: Project): string[] {
  refuseFiles(project.folder);
  const words = placeholdersOf(project);
  const template = join(PACKAGE, 'template');
  return filesUnder(template).map((path) => {
    const target = targetOf(path);
    const file = join(project.folder, target);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, fill(readFileSync(join(template, path), 'utf8'), words));
    return target;
  });
}

function refuseFiles(folder: string): void {
  let found: string[] = [];
  try {
    found = readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR') throw new UsageError(`${folder} is a file: name a new folder`);
    if (code !== 'ENOENT') throw error;
  }
  // A new git repository counts as empty.
  const [first] = found.filter((name) => name !== '.git');
  if (first !== undefined)
    throw new UsageError(`${folder} has files in it (${first}): name a new folder, or empty it`);
}

/** All packages of a release have the same version. */
function placeholdersOf({ name, kind, plural, group, version }: Project): ReadonlyMap<string, string> {
  const own = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  return new Map([
    ['name', name],
    ['Kind', kind],
    ['kind', kind.toLowerCase()],
    ['plural', plural],
    ['group', group],
    ['version', version],
    ['release', own.version],
  ]);
}

function fill(text: string, words: ReadonlyMap<string, string>): string {
  return text.replaceAll(/__([A-Za-z]+)__/g, (found, word: string) => words.get(word) ?? found);
}

/** npm omits files with these names from packages, so they are stored under other names. */
function targetOf(path: string): string {
  return path.replace(/(^|\/)_(gitignore|dockerignore|package\.json|tsconfig\.json)$/, (_, slash, name) =>
    name.endsWith('ignore') ? `${slash}.${name}` : `${slash}${name}`,
  );
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory()
        ? filesUnder(join(folder, entry.name)).map((path) => `${entry.name}/${path}`)
        : [entry.name],
    )
    .sort();
}
