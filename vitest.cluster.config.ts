import { defineConfig } from 'vitest/config';
import { reporters, resolve } from './vitest.shared.ts';

export default defineConfig({
  ...resolve,
  test: {
    reporters,
    include: ['{packages,examples}/*/{src,test}/**/*.cluster.test.ts', '{test,bench}/**/*.cluster.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    // One control plane at a time: two cores carry no more without timeouts that mean nothing.
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
