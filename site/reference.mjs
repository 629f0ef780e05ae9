// The API reference: one page of Markdown for each entry point, from the TSDoc in the sources, into site/api.
// Ends with 1 and names them when public exports have no documentation of their own. `npm run site` runs it before the site is built.
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

const all = (project.children ?? []).flatMap((module) =>
  exportsOf(module).map((each) => ({ each, title: TITLES[module.name] })),
);
const nameOf = ({ each: { name, kind }, title }) =>
  `${title}: ${ReflectionKind.singularString(kind).toLowerCase()} ${name}`;
const missing = all.filter(({ each }) => documentationOf(each) === '').map(nameOf);
if (missing.length > 0) {
  console.error(`These public exports have no documentation (TSDoc):\n  ${missing.join('\n  ')}`);
  process.exit(1);
}
// TypeDoc gives the comment above a re-export to every name in it that has none of its own.
const used = new Map();
for (const { each } of all) used.set(documentationOf(each), (used.get(documentationOf(each)) ?? 0) + 1);
const borrowed = all.filter(({ each }) => used.get(documentationOf(each)) > 1).map(nameOf);
if (borrowed.length > 0) {
  console.error(
    `These public exports share their documentation with others; a comment at the top of an index file needs @module:\n  ${borrowed.join('\n  ')}`,
  );
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

/** The exports of a module, and those of the namespaces in it. */
function exportsOf(module) {
  return (module.children ?? [])
    .filter((each) => !each.isReference())
    .flatMap((each) => (each.kind === ReflectionKind.Namespace ? [each, ...exportsOf(each)] : [each]));
}

function documentationOf(reflection) {
  const [first] = [reflection, ...(reflection.signatures ?? [])]
    .map(({ comment }) => comment?.summary.map(({ text }) => text).join('') ?? '')
    .filter((text) => text !== '');
  return first ?? '';
}
