/** The page of a standby replica, and of one in observe mode, says so. */
import { expect, test } from 'vitest';
import { parseSettings } from '../../packages/operator/src/settings/parse.ts';
import { type KubernetesObject, kinds } from '../../packages/runtime/src/index.ts';
import { useBrowser } from './browser.ts';
import { useStage } from './stage.ts';

const lease = parseSettings(['--leader-elect'], { POD_NAMESPACE: 'reloader', POD_NAME: 'reloader-0' })
  .election?.lease;

const stage = useStage(
  async (it) => {
    await it.secret('key', 'one');
    await it.app('web', { secrets: ['key'] });
    if (!lease) throw new Error('There is no lease');
    await it.client.create(kinds.Lease, {
      metadata: lease,
      spec: {
        holderIdentity: 'another',
        leaseDurationSeconds: 3600,
        acquireTime: new Date().toISOString().replace('Z', '000Z'),
        renewTime: new Date().toISOString().replace('Z', '000Z'),
      },
    } as KubernetesObject);
  },
  '--leader-elect',
  '--mode=observe',
);
const open = useBrowser();

test('a replica that does not lead says so, and so does observe mode', async () => {
  const { page } = await open();
  await page.goto(`${stage().url}#/w`);
  await page.waitForSelector('.link-live');
  await page.getByText('This replica does not lead').waitFor();
  await page.getByText('Observe mode').waitFor();
  expect(await page.locator('[role=row] .object b').allTextContents()).toEqual(['web']);
});

test('a replica that begins to lead says so without a click, although nothing else changes', async () => {
  const { page } = await open();
  await page.goto(`${stage().url}#/w`);
  await page.getByText('This replica does not lead').waitFor();
  if (!lease) throw new Error('There is no lease');
  const spec = { holderIdentity: '', leaseDurationSeconds: 1 };
  await stage().client.patch(kinds.Lease, lease, { type: 'merge', body: { spec } });
  await page.getByText('This replica does not lead').waitFor({ state: 'detached' });
  expect(await stage().answers('overview')).toMatchObject({ leading: true });
});
