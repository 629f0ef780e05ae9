/**
 * `npm create @reloader/operator` as an author runs it: the packed command in an empty folder, then the steps in its
 * last lines. The packages are those that `npm ci` or `npm run build` made.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMinicluster } from '@reloader/minicluster';
import { createClient, discover, type KubernetesObject, kinds, type ResourceType } from '@reloader/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { installPackages, run, unpack } from './project.ts';

// Starting a compiler, a test runner and real processes takes as long as the machine needs.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let place: string;
let command: string;
let folder: string;
let said: string;

const create = (...args: readonly string[]): string => run(process.execPath, [command, ...args], place);
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
const documents = (path: string): KubernetesObject[] =>
  parseAllDocuments(read(path)).map((document) => document.toJS() as KubernetesObject);

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'scaffold-'));
  unpack('create-operator', join(place, 'command'));
  command = join(place, 'command/bin/create-operator.mjs');
  said = create('website-operator', '--group', 'shop.example.com');
  folder = join(place, 'website-operator');
  installPackages(folder, { typescript: 'bin/tsc', vitest: 'vitest.mjs', yaml: 'bin.mjs' });
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

describe('The project', () => {
  test('has all its parts, each word filled in, and is told what to do next', () => {
    for (const path of [
      'Dockerfile',
      '.gitignore',
      '.dockerignore',
      '.github/workflows/test.yaml',
      'README.md',
    ])
      expect(existsSync(join(folder, path)), path).toBe(true);
    // The status says that no file has any.
    expect(() => run('grep', ['-rl', '--exclude-dir=node_modules', '__[A-Za-z]*__', '.'], folder)).toThrow(
      /failed:\n$/,
    );
    expect(read('README.md')).toMatch(/^# `website-operator`\n/);
    expect(read('README.md')).toContain('what a `Website` is');
    expect(said).toContain('An operator for Website (shop.example.com/v1alpha1)');
    expect(said).toContain('cd website-operator\n  npm install\n  npm test');
  });

  test('its types are right and its first tests pass', () => {
    const output = run('npm', ['test'], folder);
    expect(output).toMatch(/Tests .*5 passed/);
  });

  test('`npm run generate` changes nothing', () => {
    const before = ['config/crd.yaml', 'config/rbac.yaml'].map(read);
    expect(run('npm', ['run', 'generate'], folder)).toContain('config/rbac.yaml');
    expect(['config/crd.yaml', 'config/rbac.yaml'].map(read)).toEqual(before);
  });

  test('a test fails when code and manifests differ', () => {
    const before = read('config/crd.yaml');
    writeFileSync(join(folder, 'config/crd.yaml'), before.replace('maxLength: 1024', 'maxLength: 5'));
    const tests = [join(folder, 'node_modules/.bin/vitest'), 'run', '--dir', 'src', 'manifests'];
    expect(() => run(process.execPath, tests, folder)).toThrow('config/crd.yaml is what');
    writeFileSync(join(folder, 'config/crd.yaml'), before);
  });

  test('its manifests are taken by an API server, and the program does its work and ends', async () => {
    expect(existsSync(join(folder, 'dist/main.js')), '`npm run generate` has compiled it').toBe(true);
    const cluster = await startMinicluster({ listen: {} });
    const client = createClient({ transport: cluster.transport() });
    try {
      const { resources, images } = parse(read('config/kustomization.yaml')) as {
        resources: string[];
        images: { name: string }[];
      };
      const objects = resources.flatMap((path) => documents(`config/${path}`));
      // As kubectl does: namespaces and definitions before the objects that need them.
      const first = (each: KubernetesObject) =>
        ['Namespace', 'CustomResourceDefinition'].includes(each.kind ?? '');
      for (const object of [...objects.filter(first), ...objects.filter((each) => !first(each))])
        await client.create(await typeOf(object), object);
      const deployment = objects.find(({ kind }) => kind === 'Deployment');
      expect(JSON.stringify(deployment)).toContain(`"image":"${images[0]?.name}"`);
      const [sample = {}] = documents('config/sample.yaml');
      await client.create(await typeOf(sample), sample);

      const kubeconfig = join(place, 'kubeconfig');
      await cluster.writeKubeconfig(kubeconfig);
      const child = spawn(process.execPath, ['dist/main.js'], {
        cwd: folder,
        env: { ...process.env, KUBECONFIG: kubeconfig, HTTP_ADDRESS: '127.0.0.1:0' },
        stdio: 'ignore',
      });
      const exit = once(child, 'exit');
      const watch = await client.watch(kinds.ConfigMap, {
        namespace: 'default',
        fieldSelector: 'metadata.name=sample',
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
      });
      for await (const event of watch) if (event.type === 'ADDED') break;
      const { data } = await client.get(kinds.ConfigMap, { namespace: 'default', name: 'sample' });
      expect(data).toEqual({ message: 'hello' });
      child.kill('SIGTERM');
      expect(await exit).toEqual([0, null]);
    } finally {
      await client.close();
      await cluster.stop();
    }

    async function typeOf({ apiVersion = '', kind = '' }: KubernetesObject): Promise<ResourceType> {
      return (await discover(client)).resolveKind({ apiVersion, kind });
    }
  });
});

test('a folder with files in it is left alone', () => {
  mkdirSync(join(place, 'full'));
  writeFileSync(join(place, 'full/mine.txt'), 'mine');
  expect(() => create('full')).toThrow('full has files in it (mine.txt): name a new folder, or empty it');
});
