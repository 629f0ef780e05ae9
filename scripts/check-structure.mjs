// Rules that no linter knows: a package imports only the packages above it, a folder imports only the folders that
// scripts/folder-graph.mjs allows, there are no import cycles, and a source file has one job, which fits 400 lines.
// Nobody awaits a pause that may be undefined: those who ask together would then work in the same turn of the event
// loop. Prose uses none of the phrases in scripts/plain-words.mjs. Each violation is reported with its place. Type imports
// count: a reader has to follow them, too.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { FOLDER_GRAPH, printGraph } from './folder-graph.mjs';
import { plainWords } from './plain-words.mjs';

/** Top to bottom, as in ARCHITECTURE.md. */
const LAYERS = ['runtime', 'minicluster', 'operator', 'create-operator', 'dashboard', 'demo'];
const LONGEST_FILE = 400;
const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g;
const AWAITED_PAUSE = /\bawait (?:\w+\.|this\.#\w+\.)?pause\(\)/;
const TEST = /\.test\.(ts|support\.ts|helper\.ts)$/;
/** The copy of the graph in ARCHITECTURE.md, between these markers. */
const SHOWN = /<!-- folder graph -->\n\n```\n([\s\S]*?)\n```\n\n<!-- end -->/;

const root = new URL('..', import.meta.url).pathname;
const found = [];

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.(ts|tsx)$/.test(entry.name)) yield path;
  }
}

/** The reason why `file` of `layer` may not import `target`, or undefined. */
function layerProblem(layer, file, target) {
  if (target.startsWith('.')) {
    const inside = relative(join(root, 'packages', layer), join(file, '..', target));
    return inside.startsWith('..') && !TEST.test(file) ? 'reaches outside its package' : undefined;
  }
  const other = /^@reloader\/([^/]+)/.exec(target)?.[1];
  if (other === undefined) return undefined;
  const allowed = LAYERS.indexOf(other) >= 0 && LAYERS.indexOf(other) < LAYERS.indexOf(layer);
  return allowed ? undefined : `is not above packages/${layer}`;
}

/** One import inside a package: both ends as paths below `src`. */
function readPackage(layer) {
  const src = join(root, 'packages', layer, 'src');
  const imports = [];
  for (const file of sources(src)) {
    const text = readFileSync(file, 'utf8');
    const lines = text.split('\n');
    const sharesLoop = /pieces\.ts'|EventLoopBudget/.test(text) && !TEST.test(file);
    if (lines.length > LONGEST_FILE && !TEST.test(file)) {
      found.push(`${relative(root, file)}: ${lines.length} lines, more than ${LONGEST_FILE}: is it one job?`);
    }
    lines.forEach((line, index) => {
      if (sharesLoop && AWAITED_PAUSE.test(line)) {
        const fix = 'write `const full = pause(); if (full) await full;`';
        found.push(`${relative(root, file)}:${index + 1}: awaits a pause that may be undefined: ${fix}`);
      }
      for (const [, target] of line.matchAll(IMPORT)) {
        const place = `${relative(root, file)}:${index + 1}`;
        const why = layerProblem(layer, file, target);
        if (why) found.push(`${place}: '${target}' ${why}`);
        else if (target.startsWith('.') && !TEST.test(file)) {
          const to = relative(src, join(dirname(file), target));
          if (existsSync(join(src, to))) imports.push({ from: relative(src, file), to, place });
        }
      }
    });
  }
  return imports;
}

/** The folder in the table that a file belongs to. */
function folderOf(file, folders) {
  const parent = dirname(file);
  const holders = folders.filter((folder) => parent === folder || parent.startsWith(`${folder}/`));
  return holders.sort((a, b) => b.length - a.length)[0] ?? (parent === '.' ? '.' : parent.split('/')[0]);
}

function checkFolders(layer, imports, graph) {
  const folders = Object.keys(graph);
  const unused = new Set(folders.flatMap((from) => graph[from].map((to) => `${from} -> ${to}`)));
  for (const { from, to, place } of imports) {
    const [a, b] = [folderOf(from, folders), folderOf(to, folders)];
    if (a === b) continue;
    unused.delete(`${a} -> ${b}`);
    if (!graph[a]) found.push(`${place}: folder ${a} is not in scripts/folder-graph.mjs`);
    else if (!graph[a].includes(b)) {
      found.push(
        `${place}: ${a} may not import ${b} (scripts/folder-graph.mjs: ${a} <- ${graph[a].join(', ')})`,
      );
    }
  }
  for (const edge of unused)
    found.push(`scripts/folder-graph.mjs: ${layer}: no import needs ${edge} any more`);
  folders.forEach((folder, index) => {
    for (const to of graph[folder]) {
      if (folders.indexOf(to) < index && folders.includes(to)) continue;
      found.push(`scripts/folder-graph.mjs: ${layer}: ${folder} imports ${to}, which has to stand above it`);
    }
  });
}

/** Import cycles, each once (Tarjan's strongly connected components). */
function circles(imports) {
  const next = new Map();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const [order, low, stack, open, result] = [new Map(), new Map(), [], new Set(), []];
  const visit = (file) => {
    order.set(file, order.size);
    low.set(file, order.get(file));
    stack.push(file);
    open.add(file);
    for (const to of next.get(file) ?? []) {
      if (!order.has(to)) visit(to);
      if (open.has(to)) low.set(file, Math.min(low.get(file), low.get(to)));
    }
    if (low.get(file) !== order.get(file)) return;
    const circle = stack.splice(stack.indexOf(file));
    for (const each of circle) open.delete(each);
    if (circle.length > 1) result.push(circle);
  };
  for (const file of next.keys()) if (!order.has(file)) visit(file);
  return result;
}

for (const layer of readdirSync(join(root, 'packages'))) {
  if (!LAYERS.includes(layer)) found.push(`packages/${layer} has no place in the list of layers`);
  const imports = readPackage(layer);
  const graph = FOLDER_GRAPH[layer];
  if (!graph) continue;
  checkFolders(layer, imports, graph);
  for (const circle of circles(imports)) {
    found.push(`packages/${layer}/src: these files import each other in a circle: ${circle.join(', ')}`);
  }
}
if (SHOWN.exec(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'))?.[1] !== printGraph()) {
  found.push('ARCHITECTURE.md does not show the folder graph as `node scripts/folder-graph.mjs` prints it');
}

found.push(...plainWords(root));

for (const line of found) console.error(line);
if (found.length > 0) {
  console.error(`${found.length} breach(es) of structure or style; the layers are ${LAYERS.join(' > ')}`);
  process.exit(1);
}
