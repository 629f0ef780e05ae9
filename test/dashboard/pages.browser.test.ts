/** Lists that are longer than a screen: rows are loaded when they become visible, and stay up to date. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useBrowser } from './browser.ts';
import { useStage } from './stage.ts';

const APPS = 350;
const name = (at: number): string => `app-${String(at).padStart(3, '0')}`;

const stage = useStage(async (it) => {
  for (const secret of ['rare', 'usual']) await it.secret(secret, 'one');
  const annotations = { 'reloader.stakater.com/settle': '0s' };
  for (let at = 0; at < APPS; at++) {
    const secrets = [at === 301 ? 'rare' : 'usual'];
    const frozen = at % 50 === 7 ? { 'reloader.stakater.com/freeze': 'true' } : {};
    await it.app(name(at), { secrets, annotations: { ...annotations, ...frozen } });
  }
});
const open = useBrowser();

async function at(hash: string) {
  const { page } = await open();
  const asked: string[] = [];
  page.on('request', (request) => {
    const path = request.url().split('/api/v1/')[1];
    if (path?.startsWith('workloads')) asked.push(path);
  });
  await page.goto(stage().url + hash);
  await page.waitForSelector('.link-live');
  await page.locator('[role=row] .object').first().waitFor();
  return { page, asked };
}

const row = (page: Page, at: number) => page.locator('[role=row]', { hasText: name(at) });
const scrollTo = (page: Page, rows: number) =>
  page.locator('section.table').evaluate((table, top) => {
    table.scrollTop = top;
  }, rows * 44);

test('rows are asked for when they are looked at, and no more than that', async () => {
  const { page, asked } = await at('#/w');
  await row(page, 0).waitFor();
  expect(asked).toEqual(['workloads?limit=100&offset=0']);
  expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(APPS + 1));
  await page.locator('.chip-all', { hasText: String(APPS) }).waitFor();
  await scrollTo(page, APPS);
  await row(page, APPS - 1).waitFor();
  expect(asked.at(-1)).toBe('workloads?limit=100&offset=300');
  expect(asked).not.toContain('workloads?limit=100&offset=100');
});

test('a row far down follows its rollout, without another request', async () => {
  const { page, asked } = await at('#/w');
  await scrollTo(page, 290);
  await row(page, 301).waitFor();
  await expect.poll(() => row(page, 301).textContent()).toContain('never');
  const before = asked.length;
  await stage().changeSecret('rare', 'two');
  await row(page, 301).getByText('#1').waitFor();
  expect(asked).toHaveLength(before);
});

test('a filter by state gains and loses rows while it is looked at', async () => {
  const { page } = await at('#/w?state=frozen');
  await expect.poll(() => page.locator('[role=row] .object').count()).toBe(APPS / 50);
  await stage().annotate(name(200), { 'reloader.stakater.com/freeze': 'true' });
  await row(page, 200).waitFor();
  await stage().annotate(name(200), { 'reloader.stakater.com/freeze': null });
  await expect.poll(() => row(page, 200).count()).toBe(0);
  await page.locator('.chip-frozen', { hasText: String(APPS / 50) }).waitFor();
});

test('keys lead on past what has arrived', async () => {
  const { page } = await at('#/w');
  await page.evaluate(
    `for (let at = 0; at < 131; at++) document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))`,
  );
  await page.locator('.row.chosen', { hasText: name(130) }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain(`#/w/Deployment/shop/${name(130)}`);
});

test('a deep link to one workload shows its state at once', async () => {
  const { page } = await open();
  await page.goto(`${stage().url}#/w/Deployment/shop/${name(7)}`);
  await page.locator('.title .mark', { hasText: 'Up to date' }).getByText('frozen').waitFor();
});

test('while a workload keeps changing, its view asks for it twice a second at most', async () => {
  const { page } = await open();
  const path = `workloads/Deployment/shop/${name(20)}`;
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().endsWith(path)) asked += 1;
  });
  await page.goto(`${stage().url}#/w/Deployment/shop/${name(20)}`);
  await page.waitForSelector('.link-live');
  await page.locator('.title .mark', { hasText: 'Up to date' }).waitFor();
  asked = 0;
  const began = performance.now();
  for (let change = 0; change < 16; change++) {
    const freeze = change % 2 === 0 ? 'true' : null;
    await stage().annotate(name(20), { 'reloader.stakater.com/freeze': freeze });
    // Each change has a batch of its own.
    await new Promise((resolve) => setTimeout(resolve, 120));
  }
  const most = (performance.now() - began) / 500 + 1;
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(most);
});

test('a workload that comes or goes while the list is looked at', async () => {
  const { page } = await at('#/w');
  await stage().app('aaa-first', { secrets: ['usual'] });
  await page.locator('[role=row]', { hasText: 'aaa-first' }).waitFor();
  await page.locator('.chip-all', { hasText: String(APPS + 1) }).waitFor();
});

test('a hidden page gets no updates until it is visible, and then those that it missed', async () => {
  const { page } = await open();
  // A minute passes at once, and the test sets when the window is hidden.
  await page.addInitScript(`
    const later = setTimeout;
    globalThis.setTimeout = (call, ms, ...more) => later(call, ms === 60000 ? 1 : ms, ...more);
    let isHidden = false;
    Object.defineProperty(document, 'hidden', { get: () => isHidden });
    globalThis.hide = (is) => { isHidden = is; document.dispatchEvent(new Event('visibilitychange')); };
  `);
  const streams: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/stream')) streams.push('opened');
  });
  page.on('requestfailed', (request) => {
    if (request.url().endsWith('/stream')) streams.push('closed');
  });
  await page.goto(`${stage().url}#/w?q=${name(12)}`);
  await page.waitForSelector('.link-live');
  await page.evaluate('hide(true)');
  await expect.poll(() => streams).toEqual(['opened', 'closed']);
  await stage().annotate(name(12), { 'reloader.stakater.com/freeze': 'true' });
  await page.evaluate('hide(false)');
  await row(page, 12).getByText('frozen').waitFor();
  await page.waitForSelector('.link-live');
  expect(streams).toEqual(['opened', 'closed', 'opened']);
  await stage().annotate(name(12), { 'reloader.stakater.com/freeze': null });
});

test('what-if warns of a change that restarts more workloads at once than it should', async () => {
  const { page } = await open();
  await page.goto(`${stage().url}#/s/Secret/shop/usual`);
  await page.getByText(/A change of Secret shop\/usual restarts 3\d\d workloads at the same time/).waitFor();
});

test('sources come in pages, too', async () => {
  const { page } = await open();
  await page.goto(`${stage().url}#/s`);
  await page.locator('[role=row]', { hasText: 'usual' }).getByText(`${APPS} workloads`).waitFor();
  await page.getByRole('searchbox').fill('rar');
  await expect.poll(() => page.locator('[role=row] .object b').allTextContents()).toEqual(['rare']);
});

test('more events than lanes can show are drawn as a histogram, and its bars add up', async () => {
  await stage().changeSecret('usual', 'two');
  const { page } = await open();
  await page.goto(`${stage().url}#/t`);
  const bars = page.locator('svg.lanes .histogram');
  await bars.waitFor();
  const reloads = async (): Promise<number> =>
    Number(/reloads: (\d+)/.exec((await bars.textContent()) ?? '')?.[1]);
  // All but the frozen ones and the user of the other Secret.
  await expect.poll(reloads, { timeout: 30_000 }).toBeGreaterThanOrEqual(APPS - APPS / 50 - 1);
});

test('after a batch that left events out, the timeline is read again', async () => {
  const { page } = await open();
  await page.route(/\/stream$/, async (route) => {
    const { counts } = (await (await fetch(new URL('../api/v1/overview', stage().url))).json()) as {
      counts: unknown;
    };
    const batch = { revision: 'e:1', lines: [], gone: [], more: true, counts, events: [], leading: true };
    await route.fulfill({
      contentType: 'text/event-stream',
      body: `event: batch\ndata: ${JSON.stringify(batch)}\n\n`,
    });
  });
  const asked = page.waitForResponse(/\/timeline\?limit=2000$/);
  await page.goto(`${stage().url}#/t`);
  expect((await asked).status()).toBe(200);
});
