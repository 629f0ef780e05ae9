// The API reference: one page of Markdown for each entry point, from the TSDoc in the sources, into site/api.
// Ends with 1 and names them when public exports have no documentation. `npm run site` runs it before the site is built.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Application, ReflectionKind } from 'typedoc';

const inSite = (path) => fileURLToPath(new URL(path, import.meta.url));
const OUT = inSite('api');

/** Entry points: the name of the page, and where it is defined. */
const PAGES = {
  runtime: '../packages/runtime/src/index.ts',
  'runtime-kind': '../packages/runtime/src/kind/index.ts',
  'runtime-testing': '../packages/runtime/src/testing/index.ts',
  minicluster: '../packages/minicluster/src/index.ts',
};
const TITLES = {
  runtime: '@reloader/runtime',
  'runtime-kind': '@reloader/runtime/kind',
  'runtime-testing': '@reloader/runtime/testing',
  minicluster: '@reloader/minicluster',
};

const app = await Application.bootstrapWithPlugins({
  plugin: ['typedoc-plugin-markdown'],
  entryPoints: Object.values(PAGES).map(inSite),
  tsconfig: inSite('../tsconfig.json'),
  // The whole repository is checked by `npm run check`, with the compiler that it is written for.
  skipErrorChecking: true,
  excludeExternals: true,
  excludePrivate: true,
  excludeInternal: true,
  disableSources: true,
  readme: 'none',
  out: OUT,
  logLevel: 'Error',
  // One page for each entry point, under names that stay.
  outputFileStrategy: 'modules',
  entryFileName: 'index',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  formatWithPrettier: false,
});
const project = await app.convert();
if (!project) process.exit(1);

for (const [name, path] of Object.entries(PAGES)) {
  const folder = path.replace('../packages/', '').replace(/\/index\.ts$/, '');
  const module = project.children?.find((each) => each.name === folder);
  if (!module) throw new Error(`TypeDoc found no module ${folder}`);
  module.name = name;
}

const missing = (project.children ?? []).flatMap((module) =>
  (module.children ?? [])
    .filter((each) => !each.isReference() && !isDocumented(each))
    .map(
      ({ name, kind }) =>
        `${TITLES[module.name]}: ${ReflectionKind.singularString(kind).toLowerCase()} ${name}`,
    ),
);
if (missing.length > 0) {
  console.error(`These public exports have no documentation (TSDoc):\n  ${missing.join('\n  ')}`);
  process.exit(1);
}

rmSync(OUT, { recursive: true, force: true });
await app.generateOutputs(project);
for (const [file, title] of [
  ['index.md', 'API reference'],
  ['runtime/index.md', TITLES.runtime],
  ['runtime-kind.md', TITLES['runtime-kind']],
  ['runtime-testing.md', TITLES['runtime-testing']],
  ['minicluster.md', TITLES.minicluster],
]) {
  const page = readFileSync(`${OUT}/${file}`, 'utf8');
  writeFileSync(`${OUT}/${file}`, page.replace(/^# .*$/m, `# ${title}`));
}

function isDocumented(reflection) {
  const all = [reflection, ...(reflection.signatures ?? [])];
  return all.some(({ comment }) => (comment?.summary.length ?? 0) > 0);
}
