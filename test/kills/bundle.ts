/** Bundles the operator's command into one file from the current sources, so that a test never runs an older build. */
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const PACKAGE = new URL('../../packages/operator/', import.meta.url);

export interface Bundle {
  readonly file: string;
  remove(): Promise<void>;
}

export async function bundleOperator(): Promise<Bundle> {
  const directory = await mkdtemp(join(tmpdir(), 'kills-operator-'));
  // The program looks for its package.json two folders above itself, as in the package.
  const file = join(directory, 'dist', 'cli', 'main.js');
  await copyFile(fileURLToPath(new URL('package.json', PACKAGE)), join(directory, 'package.json'));
  // The program resolves its lazily loaded dependencies here, as in the package.
  await symlink(fileURLToPath(new URL('../../node_modules', PACKAGE)), join(directory, 'node_modules'));
  await build({
    entryPoints: ['src/cli/main.ts', 'src/template/worker.ts', 'src/validate/worker.ts'].map((each) =>
      fileURLToPath(new URL(each, PACKAGE)),
    ),
    outdir: join(directory, 'dist'),
    outbase: fileURLToPath(new URL('src', PACKAGE)),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@reloader/source'],
    // CommonJS packages call `require`, which ES modules lack.
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
    logLevel: 'warning',
  });
  return { file, remove: () => rm(directory, { recursive: true, force: true }) };
}
