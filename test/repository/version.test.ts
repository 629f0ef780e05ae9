/** `scripts/set-version.mjs` updates every place that has our version. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generatedPackaging } from '../../config/generate.mjs';
import { generatedCrds } from '../../packages/operator/src/crds/generate.ts';
import { withVersion } from '../../scripts/set-version.mjs';
import { ROOT, read } from '../docs/blocks.ts';

const { version } = JSON.parse(read('packages/operator/package.json')) as { version: string };

test('the version that we have changes nothing', () => {
  for (const [path, content] of withVersion(version)) expect(content, path).toBe(read(path));
});

test('every package depends on the new version of the others, and on unchanged versions of third parties', () => {
  for (const [path, content] of withVersion('9.8.7')) {
    if (!path.endsWith('package.json')) continue;
    const before = JSON.parse(readFileSync(`${ROOT}/${path}`, 'utf8')) as Record<string, unknown>;
    const asked = Object.entries({ ...(before.dependencies ?? {}), ...(before.devDependencies ?? {}) });
    const expected = asked.map(([name, range]) => [name, name.startsWith('@reloader/') ? '9.8.7' : range]);
    const after = JSON.parse(content) as Record<string, unknown>;
    expect(after.version, path).toBe('9.8.7');
    expect(Object.entries({ ...(after.dependencies ?? {}), ...(after.devDependencies ?? {}) })).toEqual(
      expected,
    );
  }
});

test('every package of ours is among them, the chart and the image', () => {
  const tracked = execFileSync('git', ['ls-files', '*package.json', 'package.json'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const ours = tracked.split('\n').filter((path) => path !== '' && !/\/(template|testdata)\//.test(path));
  const written = withVersion('9.8.7');
  expect([...written.keys()]).toEqual(expect.arrayContaining([...new Set(ours)]));
  expect(written.get('charts/reloader/Chart.yaml')).toContain('\nversion: 9.8.7\nappVersion: 9.8.7\n');
  expect(written.get('Dockerfile')).toContain('\nARG VERSION=9.8.7\n');
  expect(written.get('packages/runtime/src/client/create-client.ts')).toContain("'reloader-runtime/9.8.7'");
});

test('no page, manifest or plugin names the release before', () => {
  const tracked = execFileSync('git', ['ls-files', 'docs', 'plugins', 'examples', 'README.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const written = new Map([...withVersion('9.8.7'), ...generatedPackaging(generatedCrds())]);
  const namesRelease = new RegExp(`(v|reloader[-:])${version.replaceAll('.', '\\.')}(?![\\d-])`);
  const naming = tracked
    .split('\n')
    .filter((path) => /\.(md|yaml)$/.test(path) && namesRelease.test(read(path)));
  expect(naming.length).toBeGreaterThan(3);
  expect(naming.filter((path) => !written.has(path))).toEqual([]);
  for (const [path, content] of withVersion('9.8.7')) {
    if (naming.includes(path)) expect(content, path).not.toMatch(namesRelease);
  }
});

test.each(['', 'v1.0.0', '1.0', '1.0.0"'])('"%s" is refused', (text) => {
  expect(() => withVersion(text)).toThrow(`"${text}" is no version such as 0.2.0`);
});
