/**
 * The pictures of the documentation: every view of a small company in operation. `PICTURES=1 npm run test:browser`
 * writes them to docs/images; otherwise they are only taken.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { useBrowser } from './browser.ts';
import { type Stage, useStage } from './stage.ts';

const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const PREFIX = 'reloader.stakater.com';
const TEAMS: Readonly<Record<string, readonly string[]>> = {
  shop: ['storefront', 'search', 'cart', 'mailer', 'legacy', 'pricing', 'catalog', 'reviews'],
  payments: ['gateway', 'ledger', 'fraud', 'payouts'],
  platform: ['ingress', 'metrics', 'log-agent', 'dns', 'certs'],
  identity: ['login', 'sessions', 'directory'],
};

async function company(it: Stage): Promise<void> {
  for (const name of Object.keys(TEAMS)) if (name !== 'shop') await it.namespace(name);
  for (const [namespace, apps] of Object.entries(TEAMS)) {
    await it.secret('db-password', 'one', namespace);
    await it.secret('session-key', 'one', namespace);
    await it.configMap('features', namespace);
    for (const [at, name] of apps.entries()) {
      const annotations = {
        ...(name === 'mailer' && { [`${PREFIX}/batch-window`]: '15m' }),
        ...(name === 'payouts' && { [`${PREFIX}/batch-window`]: '40m' }),
        ...(name === 'legacy' && {
          [`${PREFIX}/freeze`]: 'true',
          [`${PREFIX}/freeze-reason`]: 'Sale until Monday, by alice',
        }),
        ...(name === 'pricing' && { [`${PREFIX}/approval`]: 'required' }),
      };
      const secrets = at % 2 === 0 || name === 'mailer' ? ['db-password', 'session-key'] : ['session-key'];
      await it.app(name, {
        namespace,
        annotations,
        secrets,
        configMaps: ['features'],
        replicas: 2 + (at % 3),
      });
    }
  }
}

const stage = useStage(company);
const open = useBrowser();

const VIEWS = {
  now: '#/now',
  workloads: '#/w',
  workload: '#/w/Deployment/shop/mailer',
  source: '#/s/Secret/shop/session-key',
  timeline: '#/t',
  freezes: '#/f',
};

test('every view, in light, and the first in dark', { timeout: 120_000 }, async () => {
  const isKept = process.env.PICTURES === '1';
  const folder = isKept ? IMAGES : await mkdtemp(join(tmpdir(), 'reloader-pictures-'));
  if (!isKept) onTestFinished(() => rm(folder, { recursive: true }));
  // Slow pods, so that the pictures show a rollout.
  stage().cluster.workloads?.script({ behaviour: { startMs: 1_500, readyMs: 2_500, stopMs: 300 } });
  await stage().changeSecret('session-key', 'two', 'identity');
  const { page, complaints } = await open({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${stage().url}#/now`);
  await page.getByText('Rolled out').first().waitFor();
  await stage().changeSecret('db-password', 'two', 'payments');
  await stage().changeSecret('session-key', 'two');
  await page.locator('.group-batching').waitFor();
  await page.locator('progress').first().waitFor();
  for (const [name, hash] of Object.entries(VIEWS)) {
    await page.goto(stage().url + hash);
    await page.locator('.link-live').waitFor();
    await page.locator('main .object, main .graph, main .lanes').first().waitFor();
    await page.screenshot({ path: join(folder, `page-${name}.png`) });
    expect((await stat(join(folder, `page-${name}.png`))).size, name).toBeGreaterThan(10_000);
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${stage().url}#/now`);
  await page.locator('main .object').first().waitFor();
  await page.screenshot({ path: join(folder, 'page-dark.png') });
  expect(complaints).toEqual([]);
});
