/** A recorded history can be replayed, change for change, and a modified one is detected. */
import { History, replay, startMinicluster } from '@reloader/minicluster';
import { VirtualClock } from '@reloader/runtime/testing';
import { expect, test } from 'vitest';

async function record(): Promise<History> {
  const clock = new VirtualClock();
  const history = new History(clock);
  const cluster = await startMinicluster({ clock, seed: 5, middleware: [history.middleware] });
  history.follow(cluster.store);
  const transport = cluster.transport();
  const post = async (path: string, body: object): Promise<void> => {
    await transport.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await clock.advance(700);
  };
  await post('/api/v1/namespaces/default/configmaps', {
    metadata: { generateName: 'made-' },
    data: { x: '1' },
  });
  await post('/apis/apps/v1/namespaces/default/deployments', {
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'web:1' }] },
      },
    },
  });
  await clock.advance(5_000);
  await cluster.stop();
  return history;
}

async function playBack(history: readonly Parameters<typeof replay>[0][number][]): Promise<void> {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 5 });
  await replay(history, { clock, handler: cluster.handler, store: cluster.store });
  await cluster.stop();
}

test('the same seed and requests make the same changes, down to uids and pods', async () => {
  const history = await record();
  expect(history.changes('pods').length).toBeGreaterThan(4);
  await playBack(History.parse(history.toText()));
});

test('a missing request is detected, with the change that it should have made', async () => {
  const history = await record();
  const shortened = History.parse(history.toText()).filter(
    (entry) => entry.kind !== 'request' || !entry.path.endsWith('/deployments'),
  );
  await expect(playBack(shortened)).rejects.toThrow(/Change \d+ of the history \(ADDED deployments/);
});
