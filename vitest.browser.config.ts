import { defineConfig } from 'vitest/config';
import { patient, reporters, resolve } from './vitest.shared.ts';

export default defineConfig({
  ...resolve,
  test: {
    reporters,
    include: ['test/**/*.browser.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    globalSetup: ['test/dashboard/build-page.ts'],
    // One browser at a time: two cores carry no more without timeouts that mean nothing.
    maxWorkers: 1,
    expect: patient,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
