/**
 * Links that work in the repository, made to work on the site: to pages by their address there, to other files in the
 * repository where it is known where that is, and as plain text otherwise.
 */
import { dirname, join, normalize, relative } from 'node:path';
import { addressOf, PAGES, ROOT } from './pages.ts';

interface Token {
  type: string;
  tag: string;
  attrs: [string, string][] | null;
  readonly children: Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

interface Markdown {
  readonly core: {
    readonly ruler: {
      push(
        name: string,
        rule: (state: {
          readonly tokens: Token[];
          readonly env: { readonly realPath?: string; readonly path: string };
        }) => void,
      ): void;
    };
  };
}

export interface SiteLinksOptions {
  /** Where files of the repository can be looked at, such as the address of a branch. */
  readonly repository: string | undefined;
}

export function siteLinks(md: Markdown, { repository }: SiteLinksOptions): void {
  md.core.ruler.push('site-links', ({ tokens, env }) => {
    const page = relative(ROOT, env.realPath ?? env.path);
    for (const { children } of tokens) rewrite(children ?? [], page, repository);
  });
}

function rewrite(tokens: readonly Token[], page: string, repository: string | undefined): void {
  let plain = false;
  for (const token of tokens) {
    if (token.type === 'link_close' && plain) {
      Object.assign(token, { type: 'plain_close', tag: 'span' });
      plain = false;
    }
    if (token.type !== 'link_open') continue;
    const target = targetOf(token.attrGet('href') ?? '', page, repository);
    if (target !== undefined) token.attrSet('href', target);
    else {
      // Under another type no rule for links looks at it.
      plain = true;
      Object.assign(token, { type: 'plain_open', tag: 'span', attrs: null });
    }
  }
}

/** Undefined: there is nothing to link to. */
export function targetOf(href: string, page: string, repository: string | undefined): string | undefined {
  if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
  const [path = '', anchor] = href.split('#');
  const file = normalize(join(dirname(page), path)).replace(/\/$/, '');
  const known = PAGES.get(file);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (known !== undefined) return `${addressOf(known)}${hash}`;
  return repository === undefined ? undefined : `${repository.replace(/\/$/, '')}/${file}${hash}`;
}
