/** The page in Chromium against the operator on minicluster: live updates, keyboard, accessibility, security. */
import { describe, expect, test } from 'vitest';
import type { TimelineAnswer } from '../../packages/operator/src/api/shapes.ts';
import { expectAccessible, useBrowser } from './browser.ts';
import { useStage } from './stage.ts';

const SETTLE = { 'reloader.stakater.com/settle': '0s' };
const PLANTED = 'hunter2-planted-value';

const stage = useStage(async (it) => {
  await it.secret('key', PLANTED);
  await it.secret('other', 'unchanged');
  await it.configMap('banner');
  await it.app('web', { secrets: ['key'], configMaps: ['banner'], annotations: SETTLE, replicas: 2 });
  await it.app('mailer', {
    secrets: ['key'],
    annotations: { ...SETTLE, 'reloader.stakater.com/batch-window': '600s' },
  });
  await it.app('legacy', {
    secrets: ['key'],
    annotations: { ...SETTLE, 'reloader.stakater.com/freeze': 'true' },
  });
  await it.app('quiet', { secrets: ['other'] });
});
// A host name that resolves to loopback (DNS rebinding).
const open = useBrowser(['--host-resolver-rules=MAP evil.test 127.0.0.1']);

const VIEWS = {
  now: '#/now',
  workloads: '#/w',
  workload: '#/w/Deployment/shop/mailer',
  sources: '#/s',
  source: '#/s/Secret/shop/key',
  timeline: '#/t',
  freezes: '#/f',
};

async function at(hash: string, options: Parameters<typeof open>[0] = {}) {
  const tab = await open(options);
  await tab.page.goto(stage().url + hash);
  await tab.page.waitForSelector('.link-live');
  return tab;
}

const names = (page: Awaited<ReturnType<typeof open>>['page']) =>
  page.locator('[role=row] .object b').allTextContents();

describe('live', () => {
  test('a change of a Secret shows without a click: rolling, waiting and frozen workloads', async () => {
    const { page, complaints } = await at('#/w');
    await expect.poll(() => names(page)).toEqual(['legacy', 'mailer', 'quiet', 'web']);
    await stage().changeSecret('key', `${PLANTED}-2`);
    const row = (name: string) => page.locator('[role=row]', { has: page.getByText(name, { exact: true }) });
    await row('mailer').getByText('Collecting changes').waitFor();
    await row('legacy').getByText('Frozen', { exact: true }).waitFor();
    await row('web').getByText('#1').waitFor();
    await page.goto(`${stage().url}#/now`);
    await page.getByText('Reloaded for Secret shop/key').waitFor();
    await page.locator('.group-batching').getByText('mailer').waitFor();
    expect(complaints).toEqual([]);
  });

  test('an operator that has stopped is shown as such, and its successor is followed without a click', async () => {
    const { page } = await at('#/w');
    const { page: one } = await at(VIEWS.workload);
    await one.locator('.chain').waitFor();
    await stage().stopOperator();
    await page.getByText('The data below is old').waitFor();
    expect(await page.locator('main.stale').count()).toBe(1);
    // Its explanation is asked for again, in vain: the last one stays.
    await one.locator('main.stale').waitFor();
    expect(await one.locator('.chain').count()).toBe(1);
    await stage().startOperator();
    await page.waitForSelector('.link-live');
    await expect.poll(() => names(page)).toContain('web');
    expect(await page.locator('main.stale').count()).toBe(0);
  });

  test('reloads of before the operator started are told as far as the history kept them', async () => {
    const past = async () => {
      const { events } = (await stage().answers('timeline')) as TimelineAnswer;
      return events.filter(({ number, type }) => number < 0 && type === 'reload').map(({ causes }) => causes);
    };
    await expect.poll(past).toEqual([[{ kind: 'Secret', namespace: 'shop', name: 'key' }]]);
    const { page } = await at('#/now');
    await page.locator('.event-reload', { hasText: 'Reloaded for Secret shop/key' }).waitFor();
    await page.getByText('only reloads are known').waitFor();
  });
});

describe('links and filters', () => {
  test('a link shows what its sender saw', async () => {
    const { page } = await at('#/w?state=frozen');
    await expect.poll(() => names(page)).toEqual(['legacy']);
    expect(await page.locator('.chip-frozen').getAttribute('aria-pressed')).toBe('true');
    await page.locator('.chip-all').click();
    await expect.poll(() => names(page)).toHaveLength(4);
    expect(page.url()).toMatch(/#\/w$/);
  });

  test('words filter as they are typed, and stand in the address', async () => {
    const { page } = await at('#/w');
    await page.getByRole('searchbox').fill('shop/ qui');
    await expect.poll(() => names(page)).toEqual(['quiet']);
    expect(page.url()).toContain('q=shop%2F+qui');
    await page.getByRole('searchbox').fill('nowhere');
    await page.getByText('Nothing matches').waitFor();
  });

  test('one workload is explained: its waits, its graph, its commands', async () => {
    const { page } = await at(VIEWS.workload);
    await page.locator('.chain').getByText('Collecting changes').waitFor();
    await page.locator('.graph a', { hasText: 'key' }).waitFor();
    await page.getByText('kubectl reloader explain deployment/mailer -n shop').waitFor();
    await page.locator('.graph a', { hasText: 'key' }).click();
    await page.getByText('What if it changed now?').waitFor();
    expect(page.url()).toContain('#/s/Secret/shop/key');
  });

  test('what-if names the workloads that would restart and those that would not', async () => {
    const { page } = await at(VIEWS.source);
    await page.getByText(/3 workloads.*would restart/).waitFor();
    await page.getByRole('button', { name: 'It is deleted' }).click();
    await page.getByText('Nothing would restart.').waitFor();
    await page
      .getByText(/because a deletion is recorded/)
      .first()
      .waitFor();
    expect(page.url()).toContain('what=deleted');
  });

  test('a missing workload shows the message of the operator', async () => {
    const { page } = await at('#/w/Deployment/shop/missing');
    await page.getByText('Deployment shop/missing is not known to the operator').waitFor();
  });
});

test('keys alone lead everywhere', async () => {
  const { page } = await at('#/now');
  await page.keyboard.press('g');
  await page.keyboard.press('w');
  await expect.poll(() => page.url()).toMatch(/#\/w$/);
  await page.keyboard.press('/');
  await page.keyboard.type('shop');
  await page.keyboard.press('Escape');
  await page.locator('.row', { hasText: 'mailer' }).waitFor();
  // Keys move within the shown rows, so these must be the filtered ones first.
  const others = page.locator('.row').filter({ hasNotText: 'shop' });
  await expect.poll(() => others.count(), { message: 'the heading alone' }).toBe(1);
  // Faster than the page renders: each key moves from the result of the one before.
  await page.evaluate(
    `for (const key of ['j', 'j', 'j', 'k']) document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))`,
  );
  await page.locator('.row.chosen', { hasText: 'mailer' }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain('#/w/Deployment/shop/mailer');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.url()).toMatch(/#\/w$/);
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('copy the link to this view').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
});

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test.each(Object.entries(VIEWS))(
    '%s can be used by everybody, and asks for nothing that is refused',
    async (name, hash) => {
      const { page, complaints } = await at(hash, { colorScheme });
      await page.locator('main h1, main h2').first().waitFor();
      await expectAccessible(page, name);
      expect(complaints).toEqual([]);
    },
  );
});

test('on a phone nothing is wider than the screen', async () => {
  for (const hash of Object.values(VIEWS)) {
    const { page } = await at(hash, { viewport: { width: 390, height: 844 } });
    await page.locator('main h1, main h2').first().waitFor();
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width, hash).toBeLessThanOrEqual(390);
  }
});

describe('safe', () => {
  test('a name that was rebound to loopback is refused, page and API', async () => {
    const { page } = await open();
    for (const path of ['ui/', 'api/v1/status', 'api/v1/stream', 'api/v1/workloads']) {
      const answer = await page.goto(`http://evil.test:${stage().port}/${path}`);
      expect(answer?.status(), path).toBe(421);
    }
  });

  test('nothing of a Secret, and no digest, is in the page, the stream or any answer', async () => {
    const { page } = await at('#/now');
    const texts: string[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/api/') && !response.url().includes('/stream'))
        void response.text().then(
          (text) => texts.push(text),
          () => undefined,
        );
    });
    const stream = await page.evaluate(async () => {
      const ending = new AbortController();
      const response = await fetch('../api/v1/stream', { signal: ending.signal });
      const reader = response.body?.getReader();
      (globalThis as unknown as { more: Promise<string> }).more = (async () => {
        let text = '';
        while (!text.includes('"type":"reload"')) {
          const { value } = (await reader?.read()) ?? {};
          text += new TextDecoder().decode(value);
        }
        ending.abort();
        return text;
      })();
      return response.status;
    });
    expect(stream).toBe(200);
    await stage().changeSecret('key', `${PLANTED}-3`);
    texts.push(await page.evaluate(() => (globalThis as unknown as { more: Promise<string> }).more));
    for (const hash of Object.values(VIEWS)) {
      await page.goto(stage().url + hash);
      await page.locator('main h1, main h2').first().waitFor();
      texts.push(await page.content());
    }
    const all = texts.join('\n');
    expect(all).toContain('shop');
    expect(all).not.toContain(PLANTED);
    expect(all).not.toContain(Buffer.from(`${PLANTED}-3`).toString('base64'));
    // Digests have 32, 40 or 64 hex digits; our numbers and times do not look like that.
    expect(all).not.toMatch(/\b[0-9a-f]{32,64}\b/);
  });
});

test('the timeline zooms by a drag and is saved as a drawing', async () => {
  const { page } = await at('#/t');
  const drawing = page.locator('svg.lanes');
  await drawing.waitFor();
  const box = await drawing.boundingBox();
  if (!box) throw new Error('The drawing is not seen');
  await page.mouse.move(box.x + box.width * 0.6, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.95, box.y + 40, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => page.url()).toMatch(/from=\d+&to=\d+/);
  await page.goto(`${stage().url}#/t`);
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByText('Save as SVG').click()]);
  expect(file.suggestedFilename()).toBe('reloader-timeline.svg');
});

describe('without an answer', () => {
  test('a stream that says nothing for 20 s is reported in words of ours', async () => {
    const { page } = await open();
    await page.clock.install();
    await page.route('**/api/v1/stream', () => new Promise(() => undefined));
    await page.goto(`${stage().url}#/now`);
    await page.locator('.tiles').waitFor();
    await page.clock.fastForward(21_000);
    await page.getByText('No word for 20 s. The data below is old').waitFor();
  });

  test('so is an operator that cannot be reached', async () => {
    const { page } = await open();
    await page.route('**/api/v1/**', (route) => route.abort());
    await page.goto(`${stage().url}#/now`);
    await page.getByText('The operator cannot be reached').waitFor();
  });
});
