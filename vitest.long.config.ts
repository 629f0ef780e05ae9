import { defineConfig } from 'vitest/config';
import { reporters, resolve } from './vitest.shared.ts';

export default defineConfig({
  ...resolve,
  test: {
    reporters,
    include: ['{packages,examples}/*/{src,test}/**/*.long.test.ts', '{test,bench}/**/*.long.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    maxWorkers: 1,
    testTimeout: 3_600_000,
    hookTimeout: 180_000,
  },
});
