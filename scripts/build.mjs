// Compiles the packages in the order in which they may import each other.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');

for (const name of ['runtime', 'minicluster']) {
  const folder = new URL(`../packages/${name}/`, import.meta.url).pathname;
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  const { status } = spawnSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.build.json')], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
