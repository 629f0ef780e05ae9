// Stryker runs this once in the sandbox, on the instrumented sources (`buildCommand`). It makes one script of the tests
// beside the pure decisions and of all code of ours that they import. runner.mjs evaluates that script again for each
// mutant.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { OUTSIDE, OUTSIDE_NAMES, SCRIPT } from './places.mjs';

const ROOT = 'packages/operator/src/reloader';
const FOLDERS = ['ledger', 'decide', 'plan', 'schedule'];
/** Random walks and the storm take seconds for each mutant; the other tests state the same rules one by one. */
const TOO_LONG = /\.(long|walk)\.test\.ts$|\bstorm\.test\.ts$/;

const tests = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
    join(ROOT, folder, file),
  ),
).filter((file) => file.endsWith('.test.ts') && !TOO_LONG.test(file));

const outside = new Set();

/** Packages and built-in modules: the runner loads them once, since no mutant changes them. */
const fromOutside = {
  name: 'from-outside',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^./]/ }, ({ path }) =>
      path.startsWith('@reloader/') ? undefined : { path, namespace: 'outside' },
    );
    onLoad({ filter: /.*/, namespace: 'outside' }, async ({ path }) => {
      outside.add(path);
      const names = Object.keys(await import(path)).filter((name) => name !== 'default');
      const loaded = `globalThis.${OUTSIDE}[${JSON.stringify(path)}]`;
      return {
        contents: `const loaded = ${loaded}; export default loaded.default; export const { ${names} } = loaded;`,
      };
    });
  },
};

const importers = tests.map(
  (file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(`./${file}`)})`,
);
mkdirSync(dirname(SCRIPT), { recursive: true });
await build({
  stdin: { contents: `export const tests = { ${importers.join(',\n')} };`, resolveDir: process.cwd() },
  bundle: true,
  format: 'iife',
  globalName: 'bundled',
  footer: { js: 'bundled.tests;' },
  target: 'node20',
  // Where bundled code resolves packages from: `createRequire`.
  define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(ROOT, 'tests.js')).href) },
  conditions: ['@reloader/source'],
  plugins: [fromOutside],
  outfile: SCRIPT,
  logLevel: 'warning',
});
writeFileSync(OUTSIDE_NAMES, JSON.stringify([...outside]));
