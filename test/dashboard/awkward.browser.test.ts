/** Names of the greatest length, and a workload that waits for many things at once. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from './browser.ts';
import { type Stage, useStage } from './stage.ts';

const PREFIX = 'reloader.stakater.com';
const LONG = 'a-name-that-goes-on-'.repeat(13).slice(0, 252).concat('z');
const REASON = 'x'.repeat(190);

async function prepare(it: Stage): Promise<void> {
  await it.secret(LONG, 'one');
  await it.configMap(LONG);
  await it.app(LONG, { secrets: [LONG], configMaps: [LONG] });
  const many = Array.from({ length: 30 }, (_, at) => `one-of-many-${at}`);
  await Promise.all(many.map((name) => it.configMap(name)));
  await it.app('many', { configMaps: many });
  await it.app('held', {
    secrets: [LONG],
    annotations: {
      [`${PREFIX}/freeze`]: 'true',
      [`${PREFIX}/freeze-reason`]: REASON,
      [`${PREFIX}/approval`]: 'required',
      [`${PREFIX}/batch-window`]: '15m',
    },
  });
}

const stage = useStage(prepare);
const open = useBrowser();
const VIEWS = {
  now: '#/now',
  workloads: '#/w',
  workload: `#/w/Deployment/shop/${LONG}`,
  held: '#/w/Deployment/shop/held',
  sources: '#/s',
  source: `#/s/Secret/shop/${LONG}`,
  timeline: '#/t',
  freezes: '#/f',
};

async function show(page: Page, hash: string): Promise<void> {
  await page.goto(stage().url + hash);
  await page.locator('main .object, main .graph, main .lanes').first().waitFor();
}

describe('awkward data', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    await stage().changeSecret(LONG, 'two');
  });

  test.each([390, 1280])('fits a screen that is %i wide', async (width) => {
    const { page } = await open({ viewport: { width, height: 800 } });
    for (const [name, hash] of Object.entries(VIEWS)) {
      await show(page, hash);
      const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate<number>(over), name).toBeLessThanOrEqual(0);
    }
  });

  test('leaves headings room beside a legend', async () => {
    const { page } = await open({ viewport: { width: 390, height: 800 } });
    await show(page, VIEWS.timeline);
    const box = await page.locator('.card h2').first().boundingBox();
    expect(box?.height).toBeLessThan(30);
  });

  test('stays within the boxes of the graph', async () => {
    const { page } = await open({ viewport: { width: 1280, height: 800 } });
    await show(page, VIEWS.workload);
    const beyond = await page.evaluate<number[]>(`[...document.querySelectorAll('.graph .node')].map((node) =>
      Math.max(...[...node.querySelectorAll('text')].map((text) => text.getBoundingClientRect().right)) -
      node.querySelector('rect').getBoundingClientRect().right)`);
    expect(beyond).toHaveLength(3);
    for (const each of beyond) expect(each).toBeLessThanOrEqual(0);
  });

  test('keeps its size in a graph of many sources', async () => {
    const { page } = await open({ viewport: { width: 1280, height: 800 } });
    await show(page, '#/w/Deployment/shop/many');
    const heights = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.graph .node rect')].map((rect) => rect.getBoundingClientRect().height)`,
    );
    expect(heights).toHaveLength(31);
    expect(Math.min(...heights)).toBeGreaterThan(35);
  });

  test('names the wait that nobody knows the end of, and how to approve', async () => {
    const { page } = await open({ viewport: { width: 1280, height: 800 } });
    await show(page, VIEWS.source);
    await page.locator('.waves h3', { hasText: 'Frozen' }).waitFor();
    await stage().annotate('held', { [`${PREFIX}/freeze`]: null });
    await page.goto(`${stage().url}${VIEWS.freezes}`);
    await page.getByText('kubectl reloader approve deployment/held -n shop').waitFor();
  });
});
