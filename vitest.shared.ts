/** Tests run from the TypeScript sources: the `@reloader/source` condition leads imports there, past `dist`. */
const conditions = ['@reloader/source', 'node', 'import', 'default'];

export const resolve = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
};

/** CI sets TEST_REPORT to a file and counts the results from there. */
const report = process.env['TEST_REPORT'];
export const reporters = report
  ? ['default' as const, ['json', { outputFile: report }] as const]
  : ['default' as const];
