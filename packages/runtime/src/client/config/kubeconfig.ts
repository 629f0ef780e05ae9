/**
 * Kubeconfig files: read, checked and merged as kubectl does it.
 *
 * In: paths. Out: clusters, users and contexts by name. Guarantees: where two files name the same entry the
 * first file wins as a whole, the first current-context wins, relative paths are relative to the folder of
 * the file that holds them. Nothing of a file's content is quoted in messages: it holds credentials.
 */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { unreadable } from '../auth/file-content.ts';
import { ConfigError } from '../errors.ts';
import { Fields } from './fields.ts';

/** One entry and the file it stands in. */
export interface Entry {
  readonly name: string;
  readonly file: string;
  readonly fields: Fields;
}

export interface Kubeconfig {
  readonly files: readonly string[];
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly currentContext?: string;
}

/** Missing files are skipped if `optional`, as kubectl does for the files in KUBECONFIG. */
export async function readKubeconfigs(paths: readonly string[], optional: boolean): Promise<Kubeconfig> {
  const texts = await Promise.all(
    paths.map(async (path) => {
      try {
        return { path, text: await readFile(path, 'utf8') };
      } catch (error) {
        if (optional && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw unreadable('kubeconfig', path, error);
      }
    }),
  );
  const configs: Kubeconfig[] = [];
  for (const read of texts) if (read) configs.push(await parseKubeconfig(read.text, read.path));
  return merge(configs);
}

export async function parseKubeconfig(text: string, file: string): Promise<Kubeconfig> {
  const config = new Fields((await parseDocument(text, file)) ?? {}, `kubeconfig ${file}`);
  const kind = config.string('kind');
  if (kind !== undefined && kind !== 'Config') {
    throw new ConfigError(`${file} is no kubeconfig but a ${kind}: check the path`);
  }
  const currentContext = config.string('current-context');
  return {
    files: [file],
    clusters: entries(config, 'clusters', 'cluster', file),
    users: entries(config, 'users', 'user', file),
    contexts: entries(config, 'contexts', 'context', file),
    ...(currentContext !== undefined && { currentContext }),
  };
}

/** A path in a kubeconfig is relative to the folder of that file. */
export function pathFrom(entry: Entry, path: string): string {
  return resolve(dirname(entry.file), path);
}

function entries(config: Fields, list: string, member: string, file: string): Map<string, Entry> {
  const found = new Map<string, Entry>();
  config.list(list).forEach((value, index) => {
    const named = new Fields(value, `${list}[${index}] of ${file}`);
    const name = named.requiredString('name');
    if (found.has(name))
      throw new ConfigError(`${list} of ${file} has two entries named "${name}": remove one`);
    const fields = new Fields(named.raw(member) ?? {}, `${member} "${name}" of ${file}`);
    found.set(name, { name, file, fields });
  });
  return found;
}

function merge(configs: readonly Kubeconfig[]): Kubeconfig {
  const firstOf = (pick: (config: Kubeconfig) => ReadonlyMap<string, Entry>): ReadonlyMap<string, Entry> =>
    new Map(configs.toReversed().flatMap((config) => [...pick(config)]));
  const currentContext = configs.find((config) => config.currentContext)?.currentContext;
  return {
    files: configs.flatMap((config) => config.files),
    clusters: firstOf((config) => config.clusters),
    users: firstOf((config) => config.users),
    contexts: firstOf((config) => config.contexts),
    ...(currentContext !== undefined && { currentContext }),
  };
}

async function parseDocument(text: string, file: string): Promise<unknown> {
  if (text.trim() === '') return undefined;
  if (text.trimStart().startsWith('{')) {
    try {
      return JSON.parse(text);
    } catch {
      // It may be YAML that only looks like JSON.
    }
  }
  const { LineCounter, parseDocument: parseYaml } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseYaml(text, { lineCounter, merge: true, prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw invalid(file, ` at line ${line}, column ${col}`, error.code.toLowerCase().replaceAll('_', ' '));
  }
  try {
    return document.toJS();
  } catch {
    throw invalid(file, '', 'an alias cannot be resolved');
  }
}

/** Without the library's message and without a cause: both quote the text, which may hold a token. */
function invalid(file: string, place: string, reason: string): ConfigError {
  return new ConfigError(`Kubeconfig ${file} is not valid YAML${place}: ${reason}`);
}
