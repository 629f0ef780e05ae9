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
  return groups;
}

/** `/quick-start` */
export function addressOf(page: string): string {
  return `/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;
}
