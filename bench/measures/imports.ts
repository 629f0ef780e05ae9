import { spawnSync } from 'node:child_process';
import { type Measure, mb, median, ms } from '../measure.ts';

const RUNS = 7;

function measured(code: string): { ms: number; mb: number } {
  const script = `const began = performance.now(); ${code}
    console.log(JSON.stringify({ ms: performance.now() - began, mb: process.memoryUsage().rss / 1e6 }));`;
  const runs = Array.from({ length: RUNS }, () => {
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
    return JSON.parse(stdout.toString()) as { ms: number; mb: number };
  });
  return { ms: median(runs.map((run) => run.ms)), mb: median(runs.map((run) => run.mb)) };
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
    ];
  },
};
