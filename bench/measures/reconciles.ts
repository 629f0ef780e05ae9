import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Measure, mb, perSecond } from '../measure.ts';

export const reconciles: Measure = {
  name: 'reconciles',
  title: 'Reconciles that do nothing',
  how: '100 000 keys through queue and controller with metrics, logger and timeout, two workers (`bench/noop-reconciles.ts`).',
  async run() {
    const file = fileURLToPath(new URL('../noop-reconciles.ts', import.meta.url));
    const { stdout } = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', file]);
    const result = JSON.parse(stdout.toString()) as {
      reconcilesPerSecond: number;
      queueMBPer100000Keys: number;
    };
    return [
      {
        what: 'per second',
        ours: perSecond(result.reconcilesPerSecond),
        target: 'at least 20,000',
        met: result.reconcilesPerSecond >= 20_000,
      },
      {
        what: 'memory of 100,000 waiting keys',
        ours: mb(result.queueMBPer100000Keys),
        target: 'at most 60 MB',
        met: result.queueMBPer100000Keys <= 60,
      },
    ];
  },
};
