import type { ViteUserConfig } from 'vitest/config';

/** Tests run from the TypeScript sources: the `@reloader/source` condition leads imports there, past `dist`. */
const conditions = ['@reloader/source', 'node', 'import', 'default'];

export const resolve = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
};

/** `expect.poll` ends when what it waits for is there; its own limit of one second would only tell that a machine is busy. */
export const patient = { poll: { timeout: 20_000 } };

type Reporters = NonNullable<NonNullable<ViteUserConfig['test']>['reporters']>;

/** CI sets TEST_REPORT to a file and counts the results from there. */
const outputFile = process.env.TEST_REPORT;
export const reporters: Reporters = outputFile ? ['default', ['json', { outputFile }]] : ['default'];
