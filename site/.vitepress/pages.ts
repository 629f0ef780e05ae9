/** Which files are pages of the site, under which address, and how they stand in the sidebar. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const OUTSIDE_DOCS = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];

function under(folder: string): string[] {
  return readdirSync(`${ROOT}/${folder}`, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? under(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
  );
}

/** Path in the repository to path in the site. The first page of the site is its own; the index of the docs has an address. */
export const PAGES: ReadonlyMap<string, string> = new Map([
  ['site/home.md', 'index.md'],
  ...under('docs')
    .filter((path) => path.endsWith('.md'))
    .map((path) => [path, pageOf(path)] as const),
  // Written by `site/reference.mjs` from the sources.
  ...(existsSync(`${ROOT}/site/api`) ? under('site/api') : []).map(
    (path) => [path, path.slice('site/'.length)] as const,
  ),
  ...OUTSIDE_DOCS.filter((path) => existsSync(`${ROOT}/${path}`)).map(
    (path) => [path, path.toLowerCase()] as const,
  ),
]);

function pageOf(path: string): string {
  if (path === 'docs/README.md') return 'documentation.md';
  return path.slice('docs/'.length).replace(/README\.md$/, 'index.md');
}

interface Item {
  readonly text: string;
  readonly link: string;
}

/** The index of the documentation is the sidebar: one group for each of its tables. */
export function sidebar(): { readonly text: string; readonly items: Item[] }[] {
  const groups: { text: string; items: Item[] }[] = [];
  for (const line of readFileSync(`${ROOT}/docs/README.md`, 'utf8').split('\n')) {
    const [, first = ''] = /^\| ([^|]+?) *\|/.exec(line) ?? [];
    const [, text, path] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(first) ?? [];
    const file = path?.startsWith('../') ? path.slice(3) : `docs/${path}`;
    const page = PAGES.get(file);
    if (text && page) groups.at(-1)?.items.push({ text, link: addressOf(page) });
    else if (first !== '' && !first.startsWith('-') && !first.startsWith('[')) {
      groups.push({ text: `${first[0]?.toUpperCase()}${first.slice(1)}`, items: [] });
    }
  }
  const reference = REFERENCE.filter(([, page]) => PAGES.has(`site/${page}`));
  if (reference.length > 0)
    groups.push({
      text: 'API reference',
      items: reference.map(([text, page]) => ({ text, link: addressOf(page) })),
    });
  return groups;
}

/** The pages of the API reference, where they were written. */
const REFERENCE = [
  ['@reloader/runtime', 'api/runtime/index.md'],
  ['@reloader/runtime/kind', 'api/runtime-kind.md'],
  ['@reloader/runtime/testing', 'api/runtime-testing.md'],
  ['@reloader/minicluster', 'api/minicluster.md'],
] as const;

/** `/quick-start` */
export function addressOf(page: string): string {
  return `/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;
}
