/** Tests run from the TypeScript sources: the `@reloader/source` condition leads imports there, past `dist`. */
const conditions = ['@reloader/source', 'node', 'import', 'default'];

export const resolve = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
};
