// Runs the fast tests of the packages and prints the coverage of each package: `npm run coverage`, or `npm run coverage
// -- packages/operator/src/go` for some of them. coverage/index.html has the details by file and line. Not counted:
// code in other processes and threads, and code that only the suites in test/ reach.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const COUNTED = ['lines', 'branches', 'functions'];
const root = fileURLToPath(new URL('..', import.meta.url));

/** Sums the entries of Istanbul's summary: covered and total counts, for each package and for all together. */
export function byPackage(files, folder) {
  const sums = new Map();
  const add = (name, file) => {
    const sum = sums.get(name) ?? Object.fromEntries(COUNTED.map((what) => [what, { covered: 0, total: 0 }]));
    for (const what of COUNTED) {
      sum[what].covered += file[what].covered;
      sum[what].total += file[what].total;
    }
    sums.set(name, sum);
  };
  for (const [path, file] of Object.entries(files).sort(([a], [b]) => a.localeCompare(b))) {
    const [, name] = /^packages\/([^/]+)\//.exec(relative(folder, path)) ?? [];
    if (name !== undefined) add(name, file);
  }
  for (const [path, file] of Object.entries(files)) if (path !== 'total') add('together', file);
  return sums;
}

/** One line for each package, in columns. */
export function summaryText(sums) {
  const share = ({ covered, total }) => (total === 0 ? '-' : `${((100 * covered) / total).toFixed(1)} %`);
  const rows = [
    ['package', ...COUNTED],
    ...[...sums].map(([name, sum]) => [name, ...COUNTED.map((what) => share(sum[what]))]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows
    .map(([name, ...cells]) => [name.padEnd(width), ...cells.map((cell) => cell.padStart(10))].join(''))
    .join('\n');
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config=vitest.config.ts', '--project=packages'];
  const { status } = spawnSync(process.execPath, [...vitest, '--coverage', ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  const files = JSON.parse(readFileSync(`${root}coverage/coverage-summary.json`, 'utf8'));
  console.log(summaryText(byPackage(files, root)));
}
