import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Measure, mb, median, ms, type Row } from '../measure.ts';

const RUNS = 7;

interface Measured {
  readonly ms: number;
  readonly mb: number;
}

/**
 * Limits: the cost of importing an entry point, as a share of the official client's in the same run, and the size of a
 * tarball. Raise a number only with the reason in the same commit.
 */
const ENTRY_POINTS = [
  { name: '@reloader/runtime/kind', share: 0.3 },
  { name: '@reloader/runtime/testing', share: 0.3 },
  { name: '@reloader/minicluster', share: 1 },
] as const;
const PACKAGES = [
  { name: 'runtime', kb: 400 },
  { name: 'minicluster', kb: 500 },
  { name: 'create-operator', kb: 30 },
] as const;

function measured(code: string): Measured {
  const script = `const began = performance.now(); ${code}
    console.log(JSON.stringify({ ms: performance.now() - began, mb: process.memoryUsage().rss / 1e6 }));`;
  const runs = Array.from({ length: RUNS }, () => {
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
    return JSON.parse(stdout.toString()) as Measured;
  });
  return { ms: median(runs.map((run) => run.ms)), mb: median(runs.map((run) => run.mb)) };
}

/** Size of the tarball that would be published. */
function packedKb(name: string): number {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: fileURLToPath(new URL(`../../packages/${name}`, import.meta.url)),
  });
  const [packed] = JSON.parse(stdout.toString()) as { size: number }[];
  return (packed?.size ?? Number.NaN) / 1000;
}

const kb = (value: number): string => `${Math.round(value)} KB`;

function importRow({ name, share }: (typeof ENTRY_POINTS)[number], official: Measured): Row {
  const { ms: took } = measured(`await import('${name}');`);
  return {
    what: `time to import \`${name}\``,
    ours: ms(took),
    others: `${ms(official.ms)} (\`@kubernetes/client-node\`)`,
    target: `at most ${share * 100} % of the official client`,
    met: took <= share * official.ms,
  };
}

function sizeRow({ name, kb: budget }: (typeof PACKAGES)[number]): Row {
  const size = packedKb(name);
  return {
    what: `tarball of \`@reloader/${name}\``,
    ours: kb(size),
    target: `at most ${kb(budget)}`,
    met: size <= budget,
  };
}

export const imports: Measure = {
  name: 'imports',
  title: 'Importing the packages',
  how: `Median of ${RUNS} processes each; the floor is a program that imports nothing.`,
  async run() {
    const bare = measured('');
    const runtime = measured("await import('@reloader/runtime');");
    const official = measured("await import('@kubernetes/client-node');");
    return [
      {
        what: 'time to import the runtime',
        ours: ms(runtime.ms),
        others: `${ms(official.ms)} (\`@kubernetes/client-node\`)`,
        target: 'well under 200 ms',
        met: runtime.ms < 150,
      },
      { what: 'resident after it', ours: mb(runtime.mb), floor: mb(bare.mb), others: mb(official.mb) },
      ...ENTRY_POINTS.map((each) => importRow(each, official)),
      ...PACKAGES.map(sizeRow),
    ];
  },
};
