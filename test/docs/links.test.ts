/** Every link within the documentation has a target, headings included. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pages, ROOT, read } from './blocks.ts';

const TOP = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'RELEASING.md',
  'packages/operator/README.md',
];

const withoutBlocks = (markdown: string): string => markdown.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

function linksOf(markdown: string): string[] {
  const text = withoutBlocks(markdown).replaceAll(/`[^`\n]*`(?!\])/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
}

/** Anchors as GitHub names them. */
function anchorsOf(markdown: string): Set<string> {
  const headings = [...withoutBlocks(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function problemWith(page: string, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  const file = join(ROOT, target);
  if (!existsSync(file)) return `${target} does not exist`;
  if (anchor === undefined || statSync(file).isDirectory()) return undefined;
  return anchorsOf(readFileSync(file, 'utf8')).has(anchor)
    ? undefined
    : `${target} has no heading #${anchor}`;
}

describe.each([...pages(), ...TOP.filter((page) => existsSync(`${ROOT}/${page}`))])('%s', (page) => {
  test('links lead somewhere', () => {
    const wrong = linksOf(read(page)).flatMap((link) => problemWith(page, link) ?? []);
    expect([...new Set(wrong)]).toEqual([]);
  });
});

test('every alert of the chart has a place in the runbook', () => {
  const rules = readFileSync(`${ROOT}/charts/reloader/files/rules.yaml`, 'utf8');
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name.toLowerCase());
  const runbook = anchorsOf(read('docs/operations.md'));
  expect(alerts.length).toBeGreaterThan(0);
  expect(alerts.filter((name) => !runbook.has(name))).toEqual([]);
});
