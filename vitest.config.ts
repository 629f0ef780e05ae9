import { defineConfig } from 'vitest/config';
import { reporters, resolve } from './vitest.shared.ts';

export default defineConfig({
  ...resolve,
  test: {
    reporters,
    include: ['{packages,examples}/*/{src,test}/**/*.test.ts', '{test,bench}/**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      '**/dist/**',
      '**/*.cluster.test.ts',
      '**/*.long.test.ts',
      '**/*.browser.test.ts',
    ],
    maxWorkers: 2,
    testTimeout: 20_000,
    unstubEnvs: true,
  },
});
