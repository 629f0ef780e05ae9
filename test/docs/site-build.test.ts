/** The site can be built; a dead link or a page that cannot be rendered fails the build. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { COORDINATES } from '../../config/coordinates.mjs';
import { ROOT } from './blocks.ts';

/** Also checks that every public export is documented. */
const writeReference = (): Promise<unknown> =>
  promisify(execFile)(process.execPath, [join(ROOT, 'site/reference.mjs')], { cwd: ROOT });

test('every page is built, the API reference among them', { timeout: 600_000 }, async () => {
  await writeReference();
  const { PAGES, sidebar } = await import('../../site/.vitepress/pages.ts');
  expect(
    sidebar()
      .at(-1)
      ?.items.map(({ text }) => text),
  ).toEqual([
    '@reloader/runtime',
    '@reloader/runtime/kind',
    '@reloader/runtime/testing',
    '@reloader/minicluster',
  ]);
  const directory = await mkdtemp(join(tmpdir(), 'reloader-site-'));
  try {
    const program = join(ROOT, 'node_modules/vitepress/bin/vitepress.js');
    await promisify(execFile)(process.execPath, [program, 'build', 'site', '--outDir', directory], {
      cwd: ROOT,
    });
    for (const page of PAGES.values()) {
      const html = await readFile(join(directory, page.replace(/\.md$/, '.html')), 'utf8');
      expect(html, page).toContain('<h1');
    }
    const reference = await readFile(join(directory, 'api/runtime/index.html'), 'utf8');
    for (const name of ['createController', 'operator', 'ConfigurationError'])
      expect(reference).toContain(`id="${name.toLowerCase()}"`);
    const home = await readFile(join(directory, 'index.html'), 'utf8');
    for (const link of ['/quick-start', '/comparison', '/migration-from-stakater', COORDINATES.repository])
      expect(home).toContain(`href="${link}"`);
    expect(home.replace(/<[^>]+>/g, '')).toContain('helm install reloader');
    expect(home).toContain(COORDINATES.version);
    expect(await readFile(join(directory, 'icon.svg'), 'utf8')).toContain('<svg');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
