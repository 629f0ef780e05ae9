/** The page at `--ui-bind-address`: over TLS, for users with a token; each sees what that token may read. */
import { expect, test } from 'vitest';
import { freePort } from '../../packages/demo/src/operator-service.ts';
import { type KubernetesObject, kinds } from '../../packages/runtime/src/index.ts';
import { expectAccessible, useBrowser } from './browser.ts';
import { useStage } from './stage.ts';

const port = await freePort();
const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1' } as const;

const stage = useStage(async (it) => {
  await it.secret('key', 'one');
  await it.app('web', { secrets: ['key'] });
  await it.namespace('bank');
  await it.secret('key', 'one', 'bank');
  await it.app('vault', { namespace: 'bank', secrets: ['key'] });
  it.cluster.addToken('shopkeeper', { name: 'shopkeeper', uid: '', groups: [], extra: {} });
  await it.client.create(kinds.Role, {
    ...rbac,
    metadata: { name: 'reads', namespace: 'shop' },
    rules: [
      { apiGroups: ['reloader.stakater.com'], resources: ['reloaderconfigs'], verbs: ['list'] },
      { apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['web'], verbs: ['patch'] },
    ],
  } as KubernetesObject);
  await it.client.create(kinds.RoleBinding, {
    ...rbac,
    metadata: { name: 'reads', namespace: 'shop' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reads' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'shopkeeper' }],
  } as KubernetesObject);
}, `--ui-bind-address=127.0.0.1:${port}`);
const open = useBrowser();

test('without a token nothing is shown; with one, what it may read, live', async () => {
  const { page, complaints } = await open({ ignoreHTTPSErrors: true });
  await page.goto(`https://localhost:${port}/ui/#/w`);
  await page.getByText('A valid bearer token is needed').waitFor();
  await expectAccessible(page, 'the question for a token');
  expect(await page.content()).not.toMatch(/vault|shop/);
  await page.getByLabel('Token').fill('shopkeeper');
  await page.getByRole('button').filter({ hasText: 'Sign in' }).click();
  await page.getByText('the right to list reloaderconfigs in all namespaces').waitFor();
  await page.getByLabel('Token').fill('shopkeeper');
  await page.getByLabel('Namespace').fill('shop');
  await page.getByRole('button').filter({ hasText: 'Sign in' }).click();
  await page.waitForSelector('.link-live');
  await page.locator('.user', { hasText: 'shopkeeper' }).waitFor();
  await expect.poll(() => page.locator('[role=row] .object b').allTextContents()).toEqual(['web']);
  await stage().app('late', { secrets: ['key'] });
  await expect.poll(() => page.locator('[role=row] .object b').allTextContents()).toEqual(['late', 'web']);
  expect(await page.content()).not.toContain('vault');
  expect(page.url()).not.toContain('shopkeeper');
  expect(await page.evaluate<number>('localStorage.length + sessionStorage.length')).toBe(0);
  expect(complaints).toEqual([]);
});

test('freezes what its token may patch, in the name of its user, and nothing else', async () => {
  const { page, complaints } = await open({ ignoreHTTPSErrors: true });
  const freeze = async (name: string): Promise<void> => {
    await page.goto(`https://localhost:${port}/ui/#/w/Deployment/shop/${name}`);
    await page.getByRole('button', { name: 'Freeze…' }).click();
    await page.getByRole('button', { name: 'Freeze', exact: true }).click();
  };
  const deployment = (name: string) => stage().client.get(kinds.Deployment, { namespace: 'shop', name });
  await stage().app('closed', { secrets: ['key'] });
  await page.goto(`https://localhost:${port}/ui/#/w`);
  await page.getByLabel('Token').fill('shopkeeper');
  await page.getByLabel('Namespace').fill('shop');
  await page.getByRole('button').filter({ hasText: 'Sign in' }).click();
  await page.waitForSelector('.link-live');
  await freeze('web');
  const freezes = async () =>
    (await deployment('web')).metadata.annotations?.['reloader.stakater.com/freeze'];
  await expect.poll(freezes).toBe('true');
  expect(JSON.stringify((await deployment('web')).metadata.managedFields)).toContain(
    'reloader-ui/shopkeeper',
  );
  await freeze('closed');
  await page.getByText('This takes the right to patch deployments closed').waitFor();
  expect((await deployment('closed')).metadata.annotations).not.toHaveProperty(
    'reloader.stakater.com/freeze',
  );
  // The browser reports each answer that is not 200.
  expect(complaints.filter((text) => !text.includes('403'))).toEqual([]);
});
