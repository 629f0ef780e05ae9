/** The site has all pages, and links that work in the repository work there. */
import { describe, expect, test } from 'vitest';
import { targetOf } from '../../site/.vitepress/links.ts';
import { addressOf, PAGES, sidebar } from '../../site/.vitepress/pages.ts';

test('every page stands in the sidebar, or is linked from one that does', () => {
  const shown = new Set(sidebar().flatMap(({ items }) => items.map(({ link }) => link)));
  const elsewhere =
    /^(site\/home\.md|docs\/(adr|reference)\/|docs\/README\.md|site\/api\/|SECURITY\.md|CHANGELOG\.md)/;
  const missing = [...PAGES]
    .filter(([path]) => !elsewhere.test(path))
    .filter(([, page]) => !shown.has(addressOf(page)));
  expect(missing).toEqual([]);
});

test('no two pages have one address', () => {
  expect(new Set(PAGES.values()).size).toBe(PAGES.size);
});

describe('links', () => {
  const source = 'docs/quick-start.md';
  test.each([
    ['concepts.md', '/concepts'],
    ['concepts.md#the-ledger', '/concepts#the-ledger'],
    ['README.md', '/documentation'],
    ['../site/home.md', '/'],
    ['reference/reloaderconfig.md', '/reference/reloaderconfig'],
    ['adr/README.md', '/adr/'],
    ['../ARCHITECTURE.md', '/architecture'],
    ['#from-here', '#from-here'],
    ['https://kubernetes.io', 'https://kubernetes.io'],
    ['../packages/operator/README.md', undefined],
  ])('%s leads to %s', (link, expected) => {
    expect(targetOf(link, source, undefined)).toBe(expected);
  });

  test('files that are no pages are looked up in the repository where its address is known', () => {
    const link = '../test/control-plane/README.md#from-a-test';
    expect(targetOf(link, source, 'https://git.example.com/reloader/')).toBe(
      'https://git.example.com/reloader/test/control-plane/README.md#from-a-test',
    );
  });
});
