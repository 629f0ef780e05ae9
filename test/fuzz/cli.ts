/**
 * `npm run test:fuzz`: a million runs of each target, guided by coverage. An input that reaches new code is added to
 * the corpus, one that breaks something to its cases.
 *
 * npm run test:fuzz -- [--runs=N] [--seed=N] [target …]
 */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { CORPUS } from './corpus.ts';
import { countersOf, instrumenting } from './coverage.ts';
import type { fuzzLong } from './long.ts';
import { TARGETS } from './targets/index.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '1000000' }, seed: { type: 'string' } },
});
const { plugin, count } = instrumenting(TARGETS.flatMap(({ code }) => code));
// From there it resolves the packages that it loads by name.
const outfile = fileURLToPath(new URL(`../../node_modules/.fuzz/long-${process.pid}.mjs`, import.meta.url));
await build({
  entryPoints: [fileURLToPath(new URL('./long.ts', import.meta.url))],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  conditions: ['@reloader/source'],
  banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
  plugins: [plugin],
  logLevel: 'warning',
});
countersOf();
const built = (await import(pathToFileURL(outfile).href)) as { fuzzLong: typeof fuzzLong };
const holds = built.fuzzLong({
  runs: Number(values.runs),
  seed: Number(values.seed ?? Date.now() % 2 ** 31),
  names: positionals,
  folder: CORPUS,
  counters: count(),
});
process.exitCode = holds ? 0 : 1;
