import { defineConfig } from 'vitest/config';
import { resolve } from './vitest.shared.ts';

/** What StrykerJS runs for each mutant: the tests beside the decisions, which are pure and quick. */
export default defineConfig({
  ...resolve,
  test: {
    include: ['packages/operator/src/reloader/{plan,schedule,ledger,decide}/**/*.test.ts'],
    // A walk takes seconds for each mutant, and so does the storm.
    exclude: [
      '**/node_modules/**',
      '**/dist/**',
      '**/*.long.test.ts',
      '**/*.walk.test.ts',
      '**/storm.test.ts',
    ],
    isolate: false,
    testTimeout: 60_000,
  },
});
