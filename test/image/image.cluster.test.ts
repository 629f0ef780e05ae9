/** The content of the image, and that it runs as in a pod. */
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assemble } from '../../scripts/image-tree.mjs';
import { poll } from '../control-plane/poll.ts';
import { freePorts } from '../control-plane/ports.ts';
import { useControlPlane } from '../control-plane/vitest.ts';
import { workload } from '../reloader/objects.ts';
import { ended, inSandbox, processIn } from './sandbox.ts';

/** Size of our files, without Node. More than a third above the current size needs a reason. */
const MOST_BYTES = 4_000_000;

let tree: string;
let files: readonly string[];
let bytes = 0;

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), 'reloader-image-'));
  assemble(tree);
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const path of paths) bytes += (await stat(path)).size;
  files = paths.map((path) => path.slice(tree.length + 1));
});
afterAll(() => rm(tree, { recursive: true, force: true }));

describe('the tree', () => {
  test('holds the program and what it needs, and nothing to build, test or play with', () => {
    expect(files).toContain('packages/operator/dist/cli/main.js');
    const unwanted = /\.ts$|\.tsx$|\/src\/|\/test\/|minicluster|\/demo\/|\/examples\//;
    expect(files.filter((path) => unwanted.test(path))).toEqual([]);
  });

  test('holds no package but those that the program imports at run time', () => {
    const packages = new Set(
      files.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
    );
    expect([...packages].sort()).toEqual(['@marcbachmann/cel-js', 're2js']);
  });

  test('is small', () => {
    console.log(`The image holds ${files.length} files of ours, ${(bytes / 1e6).toFixed(1)} MB`);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });
});

describe('in a sandbox like a container', () => {
  const PROBE = `
    const { writeFileSync, readdirSync } = require('node:fs');
    const attempt = (path) => { try { writeFileSync(path, 'x'); return 'written'; } catch (e) { return e.code; } };
    console.log(JSON.stringify({ uid: process.getuid(), root: attempt('/x'), app: attempt('/app/x'),
      tmp: readdirSync('/tmp').length, private: attempt('/tmp/x') }));`;

  test('the user is 65532, the root is read-only and /tmp is its own', async () => {
    const { stdout, stderr } = await ended(inSandbox({ tree, script: ['-e', PROBE], args: [] }));
    expect(JSON.parse(stdout || stderr)).toEqual({
      uid: 65532,
      root: 'EROFS',
      app: 'EROFS',
      tmp: 0,
      private: 'written',
    });
  });

  test.each([
    [['--help'], 'Usage: reloader'],
    [['run', '--help'], '--auto-reload-all'],
    [['version', '--client'], 'reloader '],
    [['crds'], 'kind: CustomResourceDefinition'],
    [['manifests'], 'kind: Deployment'],
    [['completion', 'bash'], '__complete'],
  ])('%j works', async (args, expected) => {
    const { code, stdout, stderr } = await ended(inSandbox({ tree, args }));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(expected);
  });
});

describe('as the operator', () => {
  const cluster = useControlPlane({ workloads: true });

  test('it reads the cluster, reloads a workload by an expression under a condition, and ends in order', async () => {
    const kubeconfig = join(tree, '..', `kubeconfig-${process.pid}`);
    await writeFile(kubeconfig, await cluster().kubectl(['config', 'view', '--raw', '--flatten']), {
      mode: 0o644,
    });
    const [port = 0] = await freePorts(1);
    const settings = (value: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name: 'settings' },
      data: { value },
    });
    const web = workload('Deployment', 'web', 'default', { uses: [{ configMap: 'settings' }] });
    const annotations = {
      'configmap.reloader.stakater.com/reload': 'set.*',
      'reloader.stakater.com/condition': "source.name.matches('^set') && workload.kind == 'Deployment'",
    };
    const apply = (...items: object[]): Promise<string> =>
      cluster().kubectl(['apply', '-f', '-'], { input: { apiVersion: 'v1', kind: 'List', items } });
    await apply(settings('one'), { ...web, metadata: { ...web.metadata, annotations } });
    const operator = inSandbox({
      tree,
      args: [
        ...[
          '--kubeconfig=/etc/kubeconfig',
          `--http-bind-address=127.0.0.1:${port}`,
          '--controllers=reloader',
        ],
      ],
      files: { '/etc/kubeconfig': kubeconfig },
      network: true,
    });
    const end = ended(operator);
    const inside = processIn(operator);
    try {
      const ready = () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ status }) => status === 200,
          () => false,
        );
      await poll(ready, { what: 'readiness', timeout: 30_000 });
      const template = () =>
        cluster().kubectl(['get', 'deployment', 'web', '-o', 'jsonpath={.spec.template}']);
      const before = await template();
      await apply(settings('two'));
      await poll(async () => (await template()) !== before, { what: 'a reload', timeout: 30_000 });
    } catch (error) {
      operator.kill('SIGTERM');
      throw new Error(`${(error as Error).message}\n${(await end).stderr}`, { cause: error });
    }
    process.kill(await inside, 'SIGTERM');
    const { code } = await end;
    await rm(kubeconfig, { force: true });
    expect(code).toBe(0);
  });
});
