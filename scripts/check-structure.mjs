// Two rules of the house that no linter knows: a package imports only the packages above it, and a source file
// has one job, which fits 400 lines. Every breach is named with its place.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Top to bottom, as in ARCHITECTURE.md. */
const LAYERS = ['runtime', 'minicluster', 'operator', 'dashboard'];
const root = new URL('..', import.meta.url).pathname;
const LONGEST_FILE = 400;
const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g;

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.(ts|tsx)$/.test(entry.name)) yield path;
  }
}

/** Why `file` of `layer` may not import `target`; undefined where it may. */
function problem(layer, file, target) {
  if (target.startsWith('.')) {
    const inside = relative(join(root, 'packages', layer), join(file, '..', target));
    return inside.startsWith('..') && !file.endsWith('.test.ts') ? 'reaches outside its package' : undefined;
  }
  const other = /^@reloader\/([^/]+)/.exec(target)?.[1];
  if (other === undefined) return undefined;
  const allowed = LAYERS.indexOf(other) >= 0 && LAYERS.indexOf(other) < LAYERS.indexOf(layer);
  return allowed ? undefined : `is not above packages/${layer}`;
}

const found = [];
for (const layer of readdirSync(join(root, 'packages'))) {
  if (!LAYERS.includes(layer)) found.push(`packages/${layer} has no place in the list of layers`);
  for (const file of sources(join(root, 'packages', layer, 'src'))) {
    const lines = readFileSync(file, 'utf8').split('\n');
    if (lines.length > LONGEST_FILE && !file.endsWith('.test.ts')) {
      found.push(`${relative(root, file)}: ${lines.length} lines, more than ${LONGEST_FILE}: is it one job?`);
    }
    lines.forEach((line, index) => {
      for (const [, target] of line.matchAll(IMPORT)) {
        const why = problem(layer, file, target);
        if (why) found.push(`${relative(root, file)}:${index + 1}: '${target}' ${why}`);
      }
    });
  }
}

for (const line of found) console.error(line);
if (found.length > 0) {
  console.error(`${found.length} breach(es) of the structure; the layers are ${LAYERS.join(' > ')}`);
  process.exit(1);
}
