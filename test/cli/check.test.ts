/** `reloader check`: finds each mistake, names it and says how to fix it. */
import { type KubernetesObject, kinds } from '@reloader/runtime';
import { expect, test } from 'vitest';
import { packageImage } from '../../packages/operator/src/settings/version.ts';
import { type Play, play } from './play.ts';

interface Checked {
  readonly passed: boolean;
  readonly checks: readonly { check: string; level: string; message: string; fix?: string }[];
}

const operatorDeployment = (
  name = 'reloader',
  { image = packageImage(), args = [] as string[], ready = 1 } = {},
): KubernetesObject =>
  ({
    metadata: { name, namespace: 'reloader', labels: { 'app.kubernetes.io/name': 'reloader' } },
    spec: {
      replicas: ready,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { serviceAccountName: 'reloader', containers: [{ name: 'reloader', image, args }] },
      },
    },
  }) as KubernetesObject;

/** The operator of a play runs in the test: its Deployment is written here, and its simulated pods become ready. */
async function installed(options: Parameters<typeof operatorDeployment>[1] = {}): Promise<Play> {
  const scene = await play();
  await grant(scene);
  await addDeployment(scene, 'reloader', options);
  return scene;
}

async function grant({ stage: { client } }: Play, ...without: readonly string[]): Promise<void> {
  const account = { kind: 'ServiceAccount', name: 'reloader', namespace: 'reloader' };
  const verbs = ['list', 'watch', 'patch'].filter((verb) => !without.includes(verb));
  const apiGroups = ['', 'apps'];
  const resources = ['secrets', 'configmaps', 'deployments', 'statefulsets', 'daemonsets'];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reloader' };
  const metadata = { name: 'reloader' };
  await client.create(kinds.ServiceAccount, { metadata: { ...metadata, namespace: 'reloader' } });
  await client.create(kinds.ClusterRole, { metadata, rules: [{ apiGroups, resources, verbs }] } as never);
  await client.create(kinds.ClusterRoleBinding, { metadata, roleRef, subjects: [account] } as never);
}

async function addDeployment({ stage }: Play, name: string, options = {}): Promise<void> {
  await stage.client.create(kinds.Deployment, operatorDeployment(name, options));
  await stage.clock.advance(10_000);
}

async function checked({ command }: Play, ...more: string[]): Promise<Checked & { code: number }> {
  const { code, out } = await command('check', '-o', 'json', ...more);
  return { ...(JSON.parse(out) as Checked), code };
}

const levels = ({ checks }: Checked): Record<string, string> =>
  Object.fromEntries(checks.map(({ check, level }) => [check, level]));

test('a whole installation is in order', async () => {
  const scene = await installed({ args: ['--controllers=reloader'] });
  const result = await checked(scene);
  expect(result.checks.filter(({ level }) => level !== 'ok')).toEqual([]);
  expect(result).toMatchObject({ passed: true, code: 0 });
  expect(levels(result)).toEqual({
    cluster: 'ok',
    'your rights': 'ok',
    'definition ReloaderConfig': 'ok',
    installation: 'ok',
    image: 'ok',
    permissions: 'ok',
    service: 'ok',
    'digest key': 'ok',
    'operator answers': 'ok',
  });
  const { out } = await scene.command('check');
  expect(out).toContain('✔ installation: Deployment reloader/reloader, 1 of 1 ready');
  expect(out).toContain('Everything is in order');
});

test('nothing installed: what to do, and exit code 1', async () => {
  const scene = await play();
  await scene.stage.stopOperator();
  const result = await checked(scene);
  expect(result).toMatchObject({ passed: false, code: 1 });
  expect(result.checks).toContainEqual(
    expect.objectContaining({
      check: 'installation',
      level: 'error',
      message: 'the operator is not installed',
    }),
  );
});

test('an operator that runs elsewhere, and answers, is in order', async () => {
  const result = await checked(await play());
  expect(result).toMatchObject({ passed: true, code: 0 });
  expect(levels(result)).toMatchObject({ installation: 'ok', 'operator answers': 'ok' });
});

test('--pre needs no installation, and tells of Stakater Reloader', async () => {
  const scene = await play();
  await grant(scene);
  expect(await checked(scene, '--pre')).toMatchObject({ passed: true, code: 0 });
  await addDeployment(scene, 'stakater', { image: 'ghcr.io/stakater/reloader:v1.4.21' });
  const result = await checked(scene, '--pre');
  expect(result.checks.at(-1)).toMatchObject({
    level: 'warning',
    message: 'Deployment reloader/stakater is Stakater Reloader',
  });
  expect((await scene.command('check', '--pre')).out).toMatch(/\nNothing is wrong; 1 warning\n$/);
});

test.each([
  ['ours and theirs', {}, { image: 'ghcr.io/stakater/reloader:v1.4.21' }, true],
  ['two of ours', {}, {}, true],
  ['one of which only observes', {}, { args: ['--mode=observe'] }, false],
  ['in different namespaces', { args: ['--namespaces=a'] }, { args: ['--namespaces=b'] }, false],
  ['that share a namespace', { args: ['--namespaces=a,b'] }, { args: ['--namespaces=b'] }, true],
])('two installations, %s: %s', async (_name, first, second, isTwice) => {
  const scene = await installed(first);
  await addDeployment(scene, 'second', second);
  const { checks } = await checked(scene);
  expect(checks.some(({ check }) => check === 'second installation')).toBe(isTwice);
});

test('no pod is ready, and the image is of another version', async () => {
  const result = await checked(await installed({ image: 'example.com/reloader:9.9.9', ready: 0 }));
  expect(result.passed).toBe(false);
  expect(levels(result)).toMatchObject({ installation: 'error', image: 'warning' });
});

test('a definition of another version is reported, and so is a missing one', async () => {
  const scene = await installed();
  const key = { name: 'reloaderconfigs.reloader.stakater.com' };
  const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/alerts';
  await scene.stage.client.patch(kinds.CustomResourceDefinition, key, {
    type: 'json',
    operations: [{ op: 'remove', path }],
  });
  expect(levels(await checked(scene))).toMatchObject({ 'definition ReloaderConfig': 'warning' });
  await scene.stage.client.delete(kinds.CustomResourceDefinition, key);
  await scene.stage.clock.advance(2_000);
  expect(levels(await checked(scene))).toMatchObject({ 'definition ReloaderConfig': 'error' });
});

test('a webhook that nobody registered', async () => {
  const result = await checked(await installed({ args: ['--enable-admission=true'] }));
  expect(result.checks).toContainEqual(expect.objectContaining({ check: 'webhook', level: 'error' }));
});

test('an account that may not patch workloads', async () => {
  const scene = await play();
  await grant(scene, 'patch');
  await addDeployment(scene, 'reloader');
  const { checks } = await checked(scene);
  expect(checks).toContainEqual(
    expect.objectContaining({
      check: 'permissions',
      level: 'error',
      message:
        'ServiceAccount reloader/reloader may not patch deployments, patch statefulsets, patch daemonsets',
    }),
  );
});

test('an operator that does not answer', async () => {
  const scene = await installed();
  await scene.stage.stopOperator();
  expect(levels(await checked(scene))).toMatchObject({ 'operator answers': 'error' });
});

test('missing permissions of the user are reported, and are no failure of the installation', async () => {
  const scene = await installed();
  const { out, code } = await scene.commandAs(scene.stage.as('dora'), 'check');
  expect(out).toContain('! your rights: you may not list deployments.apps');
  expect(out).toContain('! installation: you may not list Deployments in all namespaces');
  expect(code).toBe(0);
});

test.each([
  ['config-map', 'stands in a ConfigMap', 'allow the operator to create and get the Secret'],
  ['process', 'is kept in memory', 'allow the operator to create and get the Secret'],
  ['none', '--digest=sha1 asks for plain digests', 'leave the flag out'],
])('a digest key that hides less than it should (%s) is a warning', async (place, message, fix) => {
  const scene = await installed();
  const key = { namespace: 'reloader', name: 'reloader-meta-info' };
  const body = { data: { reloaderOptions: JSON.stringify({ digestKey: place }) } };
  await scene.stage.client.patch(kinds.ConfigMap, key, { type: 'merge', body });
  const { checks } = await checked(scene);
  expect(checks.find(({ check }) => check === 'digest key')).toMatchObject({
    level: 'warning',
    message: expect.stringContaining(message),
    fix: expect.stringContaining(fix),
  });
});
