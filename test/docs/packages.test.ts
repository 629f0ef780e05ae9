/** The published packages contain the built code and its types, and nothing that only tests need. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
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

const PUBLISHED = ['runtime', 'minicluster', 'operator', 'create-operator'];
const manifestOf = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(`${root}/packages/${name}/package.json`, 'utf8')) as Record<string, unknown>;

describe.each(PUBLISHED)('publishing packages/%s', (name) => {
  test('publint finds nothing', { timeout: 60_000 }, async () => {
    const { messages } = await publint({ pkgDir: `${root}/packages/${name}`, strict: true });
    expect(messages).toEqual([]);
  });

  test('says where it comes from, which provenance is checked against, and under which licence', () => {
    const { repository, homepage, license, engines, type, description } = manifestOf(name);
    expect(repository).toEqual({
      ...(manifestOf('operator').repository as object),
      directory: `packages/${name}`,
    });
    expect(homepage).toBe(manifestOf('operator').homepage);
    expect({ license, engines, type }).toEqual({
      ...{ license: 'Apache-2.0', engines: { node: '>=20' }, type: 'module' },
    });
    expect(description).toMatch(/^\S.{20,}[^.]$/);
  });

  test('has the version of the others, and asks for exactly that of them', () => {
    const { version, dependencies = {} } = manifestOf(name);
    expect(version).toBe(manifestOf('operator').version);
    for (const [other, asked] of Object.entries(dependencies as Record<string, string>))
      expect(asked, other).toMatch(other.startsWith('@reloader/') ? String(version) : /^\d+\.\d+\.\d+$/);
  });

  test('is published with provenance by the release', () => {
    const release = readFileSync(`${root}/.github/workflows/release.yaml`, 'utf8');
    const [line = ''] = /npm publish .*/.exec(release) ?? [];
    expect(line).toContain('--provenance');
    expect(line).toMatch(new RegExp(`--workspace packages/${name}( |$)`));
  });
});

test.each(['runtime', 'minicluster', 'operator'])(
  'the types of packages/%s are found by every resolution that can load it',
  { timeout: 120_000 },
  (name) => {
    const require = createRequire(import.meta.url);
    const folder = join(require.resolve('@arethetypeswrong/cli/package.json'), '..');
    // The packages contain only ES modules, so only resolvers that can import them are checked.
    const args = ['--pack', `packages/${name}`, '--profile', 'esm-only', '--no-emoji', '--no-color'];
    const { status, stdout } = spawnSync(process.execPath, [join(folder, 'dist/index.js'), ...args], {
      cwd: root,
    });
    expect(status, String(stdout)).toBe(0);
  },
);

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
