import { defineConfig } from 'vitest/config';
import { reporters, resolve } from './vitest.shared.ts';

/** One file after the other, each in a process of its own that can collect its garbage when it is told to. */
export default defineConfig({
  ...resolve,
  test: {
    reporters,
    include: ['test/soak/*.soak.test.ts'],
    pool: 'forks',
    execArgv: ['--expose-gc'],
    maxWorkers: 1,
    testTimeout: 4 * 3_600_000,
    hookTimeout: 180_000,
    // Its lines are the result.
    disableConsoleIntercept: true,
  },
});
