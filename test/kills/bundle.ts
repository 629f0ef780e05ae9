/** The operator's command in one file, made from the sources as they are: a test never runs an older build. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface Bundle {
  readonly file: string;
  remove(): Promise<void>;
}

export async function bundleOperator(): Promise<Bundle> {
  const directory = await mkdtemp(join(tmpdir(), 'kills-operator-'));
  const file = join(directory, 'reloader.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('../../packages/operator/src/cli/main.ts', import.meta.url))],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@reloader/source'],
    // Packages in the old module format ask for `require`, which ES modules lack.
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
    logLevel: 'warning',
  });
  return { file, remove: () => rm(directory, { recursive: true, force: true }) };
}
