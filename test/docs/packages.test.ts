/** What would be published: the built code and its types, and nothing that only tests need. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe.each(['runtime', 'minicluster', 'operator'])('packages/%s', (name) => {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: `${root}/packages/${name}`,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(output.toString()) as { files: { path: string }[] }[];
  const paths = (packed?.files ?? []).map(({ path }) => path);

  test('has its entry points, their types and a page', () => {
    expect(paths).toEqual(
      expect.arrayContaining(['README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']),
    );
  });

  test('has no tests, cases or sources', () => {
    expect(
      paths.filter((path) => /\.test\.|\.test-|testdata|\/cases\/|^src\/|^generate\//.test(path)),
    ).toEqual([]);
  });
});

test('create-operator is its command and its templates', () => {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: `${root}/packages/create-operator`,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(output.toString()) as { files: { path: string }[] }[];
  const paths = (packed?.files ?? []).map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'bin/create-operator.mjs',
      'dist/main.js',
      'template/_gitignore',
      'template/.github/workflows/test.yaml',
    ]),
  );
  expect(paths.filter((path) => path.startsWith('src/'))).toEqual([]);
});

test('the operator brings the command under its three names, and each is a file of the package', () => {
  const { bin, files } = JSON.parse(readFileSync(`${root}/packages/operator/package.json`, 'utf8')) as {
    bin: Record<string, string>;
    files: string[];
  };
  expect(Object.keys(bin)).toEqual(['kubectl-reloader', 'kubectl_complete-reloader', 'reloader']);
  for (const file of Object.values(bin)) expect(existsSync(`${root}/packages/operator/${file}`)).toBe(true);
  expect(files).toContain('bin');
});
