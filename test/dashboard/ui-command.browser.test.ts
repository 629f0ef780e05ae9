/**
 * `reloader ui` in Chromium: actions run under the user's name, and Kubernetes refuses those that the user may not do.
 */
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../../packages/operator/src/cli/command-io.test.support.ts';
import { createClient, kinds, loadConfig, silentLogger } from '../../packages/runtime/src/index.ts';
import { expectAccessible, useBrowser } from './browser.ts';
import { useStage } from './stage.ts';

const FREEZE = 'reloader.stakater.com/freeze';
const WINDOW = 'reloader.stakater.com/restart-window';
const LEAP_DAY = '{"timezone":"UTC","windows":[{"cron":"0 0 29 2 *","duration":"1h"}]}';
const SETTLED = { 'reloader.stakater.com/settle': '0s' };

const stage = useStage(async (it) => {
  await it.secret('key', 'one');
  await it.app('web', { secrets: ['key'], annotations: SETTLED });
  await it.secret('rules', 'one');
  await it.app('careful', {
    secrets: ['rules'],
    annotations: { ...SETTLED, 'reloader.stakater.com/approval': 'required' },
  });
});
const open = useBrowser();

/** Runs the command as a user until the end of the test; resolves with the address that it printed. */
async function uiAs(token: string | undefined, ...options: string[]): Promise<string> {
  const { cluster } = stage();
  const config = await loadConfig({ kubeconfig: stage().kubeconfig });
  const client =
    token === undefined
      ? createClient({ config, logger: silentLogger })
      : createClient({ transport: cluster.transport({ token }), logger: silentLogger });
  const ending = new AbortController();
  let printed = '';
  const address = new Promise<string>((resolve) => {
    const ended = run(['ui', '--no-open', '--operator', `http://127.0.0.1:${stage().port}`, ...options], {
      client,
      signal: ending.signal,
      print: (text) => {
        printed += text;
        resolve(printed.split('\n')[0] ?? '');
      },
      fetch: async (url) => {
        const response = await fetch(url);
        return { status: response.status, body: await response.text() };
      },
    });
    onTestFinished(async () => {
      ending.abort();
      await ended;
      await client.close();
    });
  });
  return address;
}

async function annotation(): Promise<string | undefined> {
  const { metadata } = await stage().client.get(kinds.Deployment, { namespace: 'shop', name: 'web' });
  return metadata.annotations?.[FREEZE];
}

/** The number of versions of its template, the first included. */
async function generation(name: string): Promise<number | undefined> {
  return (await stage().client.get(kinds.Deployment, { namespace: 'shop', name })).metadata.generation;
}

async function openWorkload(token?: string, name = 'web') {
  const tab = await open();
  const address = await uiAs(token);
  await tab.page.goto(address);
  await tab.page.waitForSelector('.link-live');
  await tab.page.locator('nav').getByText('Workloads').click();
  await tab.page.locator('[role=row] .object', { hasText: name }).click();
  return { ...tab, address };
}

test('freezes and unfreezes, and says before the last click what will follow', async () => {
  const { page, complaints } = await openWorkload();
  await page.getByRole('button', { name: 'Freeze…' }).click();
  await page.getByText('Changes wait from now on').waitFor();
  await expectAccessible(page, 'the question before an action');
  await page.getByLabel('Why').fill('Sale until Monday');
  await page.getByRole('button', { name: 'Freeze', exact: true }).click();
  await expect.poll(annotation).toBe('true');
  await stage().changeSecret('key', 'two');
  await page.locator('.mark-frozen').first().waitFor();
  await page.locator('nav').getByText('Freezes').click();
  await page.getByText(/Unfreezing would restart 1 workload, the first at once/).waitFor();
  await page.getByText(/^Sale until Monday · by reloader-ui\/\S+ · since /).waitFor();
  await page.getByRole('button', { name: 'Unfreeze…' }).click();
  await page.getByRole('alertdialog').getByText('1 workload would restart, the first at once.').waitFor();
  await page.getByRole('button', { name: 'Unfreeze', exact: true }).click();
  await expect.poll(annotation).toBeUndefined();
  await page.getByText('Nothing is frozen').waitFor();
  expect(complaints).toEqual([]);
});

test('commands are for the cluster that the page shows, whatever the current context is', async () => {
  const { page } = await open();
  await page.goto(await uiAs(undefined, '--context', "bl'ue", '--kubeconfig', 'some/file'));
  await page.waitForSelector('.link-live');
  await page.goto(`${page.url().replace('#/now', '#/w/Deployment/shop/web')}`);
  const command = page.locator('.commands li', { hasText: 'Freeze' });
  const context = "'--context=bl'\\''ue'";
  await expect
    .poll(async () => (await command.locator('code').textContent())?.trim())
    .toMatch(
      new RegExp(
        `^kubectl annotate deployment/web -n shop ${FREEZE}=true --overwrite --kubeconfig=/.*/some/file .*$`,
      ),
    );
  expect(await command.getByRole('button').getAttribute('aria-label')).toContain(context);
});

test('Esc closes a question and stays there; keys do nothing behind the list of keys', async () => {
  const { page } = await openWorkload();
  const freeze = page.getByRole('button', { name: 'Freeze…' });
  await expect.poll(() => freeze.isEnabled()).toBe(true);
  for (const inField of [false, true]) {
    await freeze.focus();
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog');
    await question.waitFor();
    if (inField) await page.getByLabel('Why').focus();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(page.url()).toContain('#/w/Deployment/shop/web');
  }
  await page.keyboard.press('?');
  await page.locator('dialog[open]').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('n');
  await page.keyboard.press('?');
  await page.locator('dialog[open]').waitFor({ state: 'detached' });
  expect(page.url()).toContain('#/w/Deployment/shop/web');
});

test('does not promise a restart at once where something else holds it besides the freeze', async () => {
  await stage().annotate('web', { [FREEZE]: 'true', [WINDOW]: LEAP_DAY });
  const { page } = await openWorkload();
  await stage().changeSecret('key', 'three');
  await page.locator('.mark-frozen').first().waitFor();
  await page.locator('.chain', { hasText: 'Waits for its window' }).waitFor();
  await page.getByRole('button', { name: 'Unfreeze…' }).click();
  await page.getByText('A change waits: it restarts when nothing else holds it.').waitFor();
  await page.locator('nav').getByText('Freezes').click();
  await page.getByRole('button', { name: 'Unfreeze…' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText(/^1 workload would restart, the first in .*, at Feb 2\d, /).waitFor();
  await stage().annotate('web', { [FREEZE]: null, [WINDOW]: null });
});

test('approves the change that it shows, and no other', async () => {
  const { page, complaints } = await openWorkload(undefined, 'careful');
  await stage().changeSecret('rules', 'two');
  await page.getByRole('button', { name: 'Approve…' }).waitFor();
  await page.getByText(/kubectl reloader approve deployment\/careful -n shop --change \S+/).waitFor();
  const seen = await page.locator('.chain .now').textContent();
  await page.getByRole('button', { name: 'Approve…' }).click();
  await page
    .getByText(/^Change \S+ of Deployment shop\/careful rolls out when nothing else holds it/)
    .waitFor();
  await expectAccessible(page, 'the question before an approval');

  // The pending change is no longer the one that the user saw: the page asks again, and nothing was released.
  await stage().changeSecret('rules', 'three');
  await page.getByRole('button', { name: 'Approve…' }).waitFor();
  await expect.poll(() => page.locator('.chain .now').textContent()).not.toBe(seen);
  const before = await generation('careful');
  await page.getByRole('button', { name: 'Approve…' }).click();
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await expect.poll(() => generation('careful')).toBeGreaterThan(before ?? 0);
  await page.locator('.mark-current').first().waitFor();
  expect(complaints).toEqual([]);
});

test('a user without permission is refused by Kubernetes, and nothing happens', async () => {
  stage().cluster.addToken('viewer', { name: 'viewer', uid: '', groups: [], extra: {} });
  const { page } = await openWorkload('viewer');
  await page.getByRole('button', { name: 'Freeze…' }).click();
  await page.getByRole('button', { name: 'Freeze', exact: true }).click();
  await page.getByText(/User "viewer" cannot patch resource "deployments"/).waitFor();
  expect(await annotation()).toBeUndefined();
});

test('the key survives a reload of the page, and is no part of a copied link', async () => {
  const { page, address } = await openWorkload();
  const key = address.split('key=')[1] ?? 'none';
  await page.reload();
  await page.waitForSelector('.link-live');
  expect(page.url()).toContain(`key=${key}`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.keyboard.press('c');
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(copied).toContain('#/w/Deployment/shop/web');
  expect(copied).not.toContain(key);
});

test('a saved timeline holds no key, and can be read elsewhere: its date, its time zone, its ground', async () => {
  const { page, address } = await openWorkload();
  const key = address.split('key=')[1] ?? 'none';
  await stage().changeSecret('key', 'saved');
  await page.locator('nav').getByText('Timeline').click();
  await page.locator('.lanes .lane a').first().waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByText('Save as SVG').click()]);
  const svg = await readFile(await file.path(), 'utf8');
  expect(svg).toContain('shop/web');
  expect(svg).not.toContain(key);
  expect(svg).not.toContain('href');
  expect(svg).toMatch(/<text[^>]*>[A-Z][a-z]{2} \d{1,2}, 20\d\d, \S+<\/text>/);
  expect(svg).toMatch(/^<svg[^>]*><rect width="100%" height="100%" fill="rgb/);
});

test('without the key the page says where it is to be found', async () => {
  const { page } = await open();
  const address = await uiAs(undefined);
  await page.goto(address.split('#')[0] ?? '');
  await page.getByText('Open the address that "reloader ui" printed').waitFor();
});

test('offers no action while its data is old', async () => {
  const { page } = await openWorkload();
  const freeze = page.getByRole('button', { name: 'Freeze…', exact: true });
  await expect.poll(() => freeze.isEnabled()).toBe(true);
  await stage().stopOperator();
  await page.locator('main.stale').waitFor();
  expect(await freeze.isDisabled()).toBe(true);
  await stage().startOperator();
  await page.waitForSelector('.link-live');
  await expect.poll(() => freeze.isEnabled()).toBe(true);
});
