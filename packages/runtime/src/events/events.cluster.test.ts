import { afterAll, beforeAll, expect, test } from 'vitest';
import { useControlPlane } from '../../../../test/control-plane/vitest.ts';
import { type Client, createClient, kinds, loadConfig } from '../client/index.ts';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { coreEvents, createEventRecorder, type EventFormat, referenceTo, seriesEvents } from './index.ts';

const cluster = useControlPlane();
let client: Client;
beforeAll(async () => {
  client = createClient({ config: await loadConfig({ kubeconfig: cluster().kubeconfig }) });
});
afterAll(() => client.close());

/** Records, and waits until everything is written. */
async function record(format: EventFormat, say: (recorder: ReturnType<typeof createEventRecorder>) => void) {
  const log = createCapturingLogger();
  const recorder = createEventRecorder({
    client,
    component: 'test',
    instance: 'test-1',
    format,
    logger: log.logger,
  });
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  say(recorder);
  stop.abort();
  await running;
  expect(log.messages('warn')).toEqual([]);
}

async function subject(name: string) {
  return referenceTo(
    kinds.ConfigMap,
    await client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name } }),
  );
}

test('core Events are found by kubectl, sorted by time, with their counts', async () => {
  const web = await subject('web');
  await record(coreEvents, (recorder) => {
    recorder.record(web, 'Normal', 'First', 'It began');
    recorder.record(web, 'Warning', 'Second', 'It broke');
    recorder.record(web, 'Warning', 'Second', 'It broke');
  });
  const listed = await cluster().kubectl([
    'get',
    'events',
    '-n',
    'default',
    '--sort-by=.lastTimestamp',
    '-o',
    'json',
  ]);
  const ours = JSON.parse(listed).items.filter(
    (event: { source?: { component?: string } }) => event.source?.component === 'test',
  );
  expect(
    ours.map(({ reason, count }: { reason: string; count: number }) => `${reason} ${count}`).sort(),
  ).toEqual(['First 1', 'Second 2']);
  const described = await cluster().kubectl(['describe', 'configmap', 'web', '-n', 'default']);
  expect(described).toMatch(/Warning\s+Second\s+.*x2.*\s+test\s+It broke/);
});

test('an Event about a cluster-scoped object is accepted in namespace default', async () => {
  const node = referenceTo(kinds.Node, await client.create(kinds.Node, { metadata: { name: 'n1' } }));
  await record(coreEvents, (recorder) => recorder.record(node, 'Normal', 'Seen', 'It is there'));
  const listed = await cluster().kubectl(['get', 'events', '-n', 'default', '-o', 'json']);
  const found = JSON.parse(listed).items.find(({ reason }: { reason: string }) => reason === 'Seen');
  expect(found.involvedObject).toMatchObject({ kind: 'Node', name: 'n1' });
});

test('events.k8s.io accepts what we send, and its series', async () => {
  const series = await subject('series');
  const recorder = createEventRecorder({
    client,
    component: 'test',
    instance: 'test-1',
    format: seriesEvents,
  });
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  const events = async () => {
    const { items } = await client.list(kinds.Event, { namespace: 'default' });
    return items.filter((event) => JSON.stringify(event).includes('"name":"series"'));
  };
  recorder.record(series, 'Normal', 'Again', 'It happens', { action: 'Happening' });
  while ((await events()).length === 0);
  recorder.record(series, 'Normal', 'Again', 'It happens', { action: 'Happening' });
  stop.abort();
  await running;
  expect(await events()).toMatchObject([{ note: 'It happens', action: 'Happening', series: { count: 2 } }]);
});
