import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { startMinicluster } from '@reloader/minicluster';
import { createClient, createRegistry, systemClock } from '@reloader/runtime';
import { createCapturingLogger } from '@reloader/runtime/testing';
import { expect, it } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../reloader/model/annotations.ts';
import { createAdmission } from './admission.ts';

it('continues without the webhook if its port is in use, and logs it', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const cluster = await startMinicluster({ workloads: false });
  const log = createCapturingLogger();
  const admission = createAdmission({
    settings: { address: `127.0.0.1:${port}`, name: 'reloader-admission' },
    names: DEFAULT_ANNOTATIONS,
    namespace: 'default',
    client: createClient({ transport: cluster.transport() }),
    ...{ clock: systemClock, logger: log.logger, metrics: createRegistry() },
  });
  const stopping = new AbortController();
  let failed = false;
  const running = Promise.resolve(
    admission.start({ stopping: stopping.signal, abort: new AbortController().signal }),
  ).catch(() => {
    failed = true;
  });
  await expect.poll(() => log.messages('error')).toEqual([expect.stringContaining('webhook does not run')]);
  stopping.abort();
  await running;
  expect(failed).toBe(false);
  taken.close();
  await cluster.stop();
});
