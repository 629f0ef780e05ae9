// Builds the packages in dependency order: declarations by the compiler, code by the bundler. One file per entry point
// starts faster and needs less memory than a hundred small ones (docs/adr).
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildDashboard } from '../packages/dashboard/build.mjs';

const require = createRequire(import.meta.url);

/** Entry points by folder. Examples are programs that nothing imports, so they have no declarations. */
const PACKAGES = {
  'packages/runtime': ['src/index.ts', 'src/kind/index.ts', 'src/testing/index.ts'],
  'packages/minicluster': ['src/index.ts', 'src/cli/main.ts'],
  'packages/operator': [
    'src/index.ts',
    'src/cli/main.ts',
    // For the demo, which runs it in its own process.
    'src/embed/index.ts',
    // For clients of its API.
    'src/api/shapes.ts',
    // Worker threads load these files by name.
    'src/template/worker.ts',
    'src/validate/worker.ts',
  ],
  'packages/create-operator': ['src/main.ts'],
  'packages/demo': ['src/main.ts'],
  'examples/webapp': ['src/main.ts'],
};

/**
 * Programs, not libraries: their dependencies are bundled, so that unused code is dropped. The expression libraries
 * stay outside: most runs do not need them.
 */
const INLINED = new Set(['packages/operator']);
const inlined = {
  // The ES modules of `yaml`, not its CommonJS: with code splitting, `import()` of CommonJS has a default export and no
  // named ones.
  alias: { yaml: join(dirname(require.resolve('yaml/package.json')), 'browser', 'index.js') },
  external: ['@marcbachmann/cel-js', 're2js'],
  conditions: ['@reloader/source'],
  legalComments: 'linked',
  // For dependencies that are CommonJS.
  banner: {
    js: "import { createRequire as $createRequire } from 'node:module';const require=$createRequire(import.meta.url);",
  },
};

/**
 * Dependencies that are bundled into a library: unbundled they are thousands of files, and importing one takes a
 * second.
 */
const BUILT_IN = { 'packages/runtime': { external: ['yaml'] } };

const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');

for (const [name, entryPoints] of Object.entries(PACKAGES)) {
  const folder = fileURLToPath(new URL(`../${name}`, import.meta.url));
  const outdir = join(folder, 'dist');
  rmSync(outdir, { recursive: true, force: true });
  const project = join(folder, 'tsconfig.build.json');
  if (existsSync(project)) {
    const declared = spawnSync(process.execPath, [tsc, '-p', project], { stdio: 'inherit' });
    if (declared.status !== 0) process.exit(declared.status ?? 1);
  }
  await build({
    absWorkingDir: folder,
    entryPoints,
    outdir,
    outbase: 'src',
    bundle: true,
    splitting: true,
    chunkNames: 'shared/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    ...(INLINED.has(name) ? inlined : (BUILT_IN[name] ?? { packages: 'external' })),
    // Comments and line breaks would stay in memory while the program runs; names are kept for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
  });
}

// The operator serves the dashboard from here, wherever it is installed.
await buildDashboard(fileURLToPath(new URL('../packages/operator/dist/ui', import.meta.url)));
