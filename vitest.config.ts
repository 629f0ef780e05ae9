import { defineConfig } from 'vitest/config';
import { patient, reporters, resolve } from './vitest.shared.ts';

const elsewhere = ['**/*.cluster.test.ts', '**/*.long.test.ts', '**/*.browser.test.ts', '**/*.soak.test.ts'];

const shared = {
  exclude: ['**/node_modules/**', '**/dist/**', ...elsewhere],
  maxWorkers: 2,
  expect: patient,
  testTimeout: 20_000,
  unstubEnvs: true,
};

export default defineConfig({
  test: {
    reporters,
    // For `npm run coverage`, which prints a line for each package.
    coverage: {
      include: ['packages/*/src/**/*.{ts,tsx}'],
      exclude: ['**/*.test.*', '**/*.generated.*'],
      reporter: ['json-summary', 'html'],
    },
    projects: [
      {
        ...resolve,
        test: {
          ...shared,
          name: 'packages',
          include: ['{packages,examples}/*/{src,test}/**/*.test.ts'],
          // Files share a process and what it has loaded: loading it for each would cost as much as all their tests.
          isolate: false,
        },
      },
      { ...resolve, test: { ...shared, name: 'whole', include: ['{test,bench}/**/*.test.ts'] } },
    ],
  },
});
