import { expect, test } from 'vitest';
import { ConnectionError, ForbiddenError, TooManyRequestsError } from '../client/errors.ts';
import type { ResourceType } from '../client/resource.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createRegistry } from '../metrics/registry.ts';
import type { KubernetesObject, Stored } from '../model/types.ts';
import { MemoryClient } from '../objects/memory-client.test.support.ts';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { metricValue } from '../testing/metric-value.ts';
import { referenceTo } from './event.ts';
import { coreEvents, seriesEvents } from './format.ts';
import { createEventRecorder, type EventRecorderOptions } from './recorder.ts';

const PODS: ResourceType = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const NODES: ResourceType = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
const pod = (name = 'web') =>
  referenceTo(PODS, { metadata: { name, namespace: 'team', uid: `uid-${name}`, resourceVersion: '7' } });

interface CoreEvent extends KubernetesObject {
  type: string;
  reason: string;
  message: string;
  count: number;
  involvedObject: object;
  firstTimestamp: string;
  lastTimestamp: string;
}

function setUp(options: Partial<EventRecorderOptions> = {}) {
  const clock = new VirtualClock();
  const server = new MemoryClient();
  const metrics = createRegistry();
  const log = createCapturingLogger();
  const recorder = createEventRecorder({
    client: server,
    component: 'test',
    instance: 'test-1',
    clock,
    metrics,
    logger: log.logger,
    random: () => 0.5,
    ...options,
  });
  const stop = new AbortController();
  let ended = false;
  const start = () =>
    void recorder.start({ stopping: stop.signal, abort: new AbortController().signal }).then(() => {
      ended = true;
    });
  return {
    clock,
    server,
    recorder,
    log,
    stop,
    start,
    ended: () => ended,
    counted: (result: string) => metricValue(metrics, 'event_recorder_events_total', { result }),
    events: async () => (await server.list(coreEvents.type)).items as unknown as Stored<CoreEvent>[],
  };
}

test('an Event names its object with uid and carries timestamps and count', async () => {
  const { clock, recorder, start, events } = setUp();
  start();
  recorder.record(pod(), 'Normal', 'Started', 'It runs', { annotations: { id: 'r-1' } });
  await clock.settle();
  expect(await events()).toMatchObject([
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        namespace: 'team',
        name: expect.stringMatching(/^web\.[0-9a-f]{16}$/),
        annotations: { id: 'r-1' },
      },
      involvedObject: {
        apiVersion: 'v1',
        kind: 'Pod',
        namespace: 'team',
        name: 'web',
        uid: 'uid-web',
        resourceVersion: '7',
      },
      type: 'Normal',
      reason: 'Started',
      message: 'It runs',
      source: { component: 'test' },
      reportingComponent: 'test',
      reportingInstance: 'test-1',
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:00:00Z',
      count: 1,
    },
  ]);
});

test('an Event about a cluster-scoped object lives in namespace default', async () => {
  const { clock, recorder, start, events } = setUp();
  start();
  recorder.record(referenceTo(NODES, { metadata: { name: 'n1' } }), 'Warning', 'Full', 'No space');
  await clock.settle();
  expect((await events())[0]?.metadata.namespace).toBe('default');
});

test('the same thing again patches count, time and nothing else', async () => {
  const { clock, server, recorder, start, events } = setUp();
  start();
  recorder.record(pod(), 'Warning', 'Failed', 'No image');
  await clock.advance(60_000);
  recorder.record(pod(), 'Warning', 'Failed', 'No image');
  await clock.settle();
  expect(server.verbs()).toEqual(['create', 'patch']);
  expect(await events()).toMatchObject([
    { count: 2, firstTimestamp: '2030-01-01T00:00:00Z', lastTimestamp: '2030-01-01T00:01:00Z' },
  ]);
});

test('with a quiet time, nothing is written during a burst, up to a maximum', async () => {
  const { clock, recorder, start, events } = setUp({ quietMs: 100 });
  start();
  recorder.record(pod('first'), 'Normal', 'A', 'one');
  await clock.advance(99);
  expect(await events()).toHaveLength(0);
  recorder.record(pod('second'), 'Normal', 'A', 'one');
  await clock.advance(99);
  expect(await events()).toHaveLength(0);
  await clock.advance(1);
  expect(await events()).toHaveLength(2);
  for (let count = 0; count < 20; count++) {
    recorder.record(pod(`more-${count}`), 'Normal', 'A', 'one');
    await clock.advance(60);
  }
  expect(await events()).toHaveLength(2 + 17);
});

test('with a quiet time, a stop writes at once', async () => {
  const { clock, recorder, start, stop, events, ended } = setUp({ quietMs: 60_000 });
  start();
  recorder.record(pod(), 'Normal', 'A', 'one');
  await clock.settle();
  stop.abort();
  await clock.settle();
  expect([ended(), (await events()).length]).toEqual([true, 1]);
});

test('another object, reason, type or message is another Event', async () => {
  const { clock, recorder, start, events } = setUp();
  start();
  recorder.record(pod(), 'Normal', 'A', 'one');
  recorder.record(pod('other'), 'Normal', 'A', 'one');
  recorder.record(pod(), 'Normal', 'B', 'one');
  recorder.record(pod(), 'Warning', 'A', 'one');
  recorder.record(pod(), 'Normal', 'A', 'two');
  await clock.settle();
  expect(await events()).toHaveLength(5);
});

test('a repetition is merged into its waiting Event', async () => {
  const { clock, server, recorder, start, events, counted } = setUp();
  for (let i = 0; i < 500; i++) recorder.record(pod(), 'Normal', 'A', 'again');
  start();
  await clock.settle();
  expect(server.verbs()).toEqual(['create']);
  expect(await events()).toMatchObject([{ count: 500 }]);
  expect(counted('filtered')).toBe(0);
});

test('from the tenth different message on, similar Events become one', async () => {
  const { clock, server, recorder, start, events } = setUp();
  start();
  for (let i = 1; i <= 15; i++) {
    recorder.record(pod(), 'Warning', 'Failed', `attempt ${i}`);
    await clock.settle();
  }
  expect(server.verbs()).toEqual([...Array(10).fill('create'), ...Array(5).fill('patch')]);
  expect((await events()).at(-1)).toMatchObject({
    message: '(combined from similar events): attempt 15',
    count: 6,
  });
});

test('messages more than ten minutes apart are not combined', async () => {
  const { clock, recorder, start, events } = setUp();
  start();
  for (let i = 1; i <= 12; i++) {
    recorder.record(pod(), 'Warning', 'Failed', `attempt ${i}`);
    await clock.advance(600_001);
  }
  expect((await events()).filter(({ message }) => message.startsWith('('))).toEqual([]);
});

test('an object may cause 25 writes at once and then one every five minutes; what is held back still counts', async () => {
  const { clock, server, recorder, start, events, counted } = setUp();
  start();
  for (let i = 0; i < 30; i++) {
    recorder.record(pod(), 'Normal', 'A', 'again');
    await clock.settle();
  }
  expect(server.requests).toHaveLength(25);
  expect(counted('filtered')).toBe(5);
  recorder.record(pod('other'), 'Normal', 'A', 'again');
  await clock.settle();
  expect(server.requests).toHaveLength(26);
  await clock.advance(299_999);
  recorder.record(pod(), 'Normal', 'A', 'again');
  await clock.advance(1);
  expect(server.requests).toHaveLength(26);
  recorder.record(pod(), 'Normal', 'A', 'again');
  await clock.settle();
  expect(server.writes).toHaveLength(27);
  expect((await events())[0]?.count).toBe(32);
  recorder.record(pod(), 'Normal', 'A', 'again');
  await clock.settle();
  expect(server.writes).toHaveLength(27);
});

test('at most a thousand Events wait; the next are dropped and counted', async () => {
  const { clock, server, recorder, start, counted } = setUp();
  for (let i = 0; i < 1_005; i++) recorder.record(pod(`pod-${i}`), 'Normal', 'A', 'x');
  expect(counted('dropped')).toBe(5);
  start();
  await clock.settle();
  expect(server.requests).toHaveLength(1_000);
  expect(counted('written')).toBe(1_000);
});

test('an unreachable server is tried 12 times, about 10 s apart, and then the Event is given up', async () => {
  const { clock, server, recorder, start, counted, log } = setUp();
  server.before = () => {
    throw new ConnectionError('refused');
  };
  start();
  recorder.record(pod(), 'Normal', 'A', 'x');
  await clock.advance(5_000 + 10 * 10_000 - 1);
  expect(server.requests).toHaveLength(11);
  await clock.advance(1);
  expect(server.requests).toHaveLength(12);
  expect(counted('failed')).toBe(1);
  expect(log.messages('warn')).toEqual(['Gave up writing an Event']);
  await clock.advance(600_000);
  expect(server.requests).toHaveLength(12);
});

test('a temporary failure loses no Event', async () => {
  const { clock, server, recorder, start, events } = setUp();
  server.before = () => {
    server.before = undefined;
    throw new TooManyRequestsError({ code: 429, reason: 'TooManyRequests' });
  };
  start();
  recorder.record(pod(), 'Normal', 'A', 'x');
  recorder.record(pod(), 'Normal', 'B', 'y');
  await clock.advance(5_000);
  expect((await events()).map(({ reason }) => reason)).toEqual(['A', 'B']);
});

test('a refusal is not tried again and does not stop the next Event', async () => {
  const { clock, server, recorder, start, events, counted } = setUp();
  server.before = () => {
    server.before = undefined;
    throw new ForbiddenError({ code: 403, reason: 'Forbidden' });
  };
  start();
  recorder.record(pod(), 'Normal', 'A', 'x');
  recorder.record(pod(), 'Normal', 'B', 'y');
  await clock.settle();
  expect((await events()).map(({ reason }) => reason)).toEqual(['B']);
  expect(counted('failed')).toBe(1);
});

test('an Event that the server has forgotten is created anew, with its whole count', async () => {
  const { clock, server, recorder, start, events } = setUp();
  start();
  recorder.record(pod(), 'Normal', 'A', 'x');
  await clock.settle();
  const [first] = await events();
  server.remove(coreEvents.type, { namespace: 'team', name: first?.metadata.name ?? '' });
  recorder.record(pod(), 'Normal', 'A', 'x');
  await clock.settle();
  expect(await events()).toMatchObject([{ count: 2, firstTimestamp: '2030-01-01T00:00:00Z' }]);
  expect((await events())[0]?.metadata.name).not.toBe(first?.metadata.name);
});

test('reason and message are cut to what the API accepts', async () => {
  const { clock, recorder, start, events } = setUp();
  start();
  recorder.record(pod('p'.repeat(253)), 'Normal', 'R'.repeat(200), 'é'.repeat(1_000));
  await clock.settle();
  const [event] = await events();
  expect(event?.reason).toHaveLength(128);
  expect(Buffer.byteLength(event?.message ?? '')).toBeLessThanOrEqual(1024);
  expect(event?.message).toMatch(/^é+\.\.\.$/);
  expect(event?.metadata.name).toHaveLength(253);
});

test('aborted, it writes what waits and ends', async () => {
  const { clock, server, recorder, start, stop, ended } = setUp();
  const answers: (() => void)[] = [];
  server.before = () => new Promise((resolve) => answers.push(resolve));
  start();
  recorder.record(pod(), 'Normal', 'A', 'x');
  recorder.record(pod(), 'Normal', 'B', 'x');
  await clock.settle();
  stop.abort();
  await clock.settle();
  expect(ended()).toBe(false);
  answers[0]?.();
  await clock.settle();
  answers[1]?.();
  await clock.settle();
  expect(ended()).toBe(true);
  expect(server.requests).toHaveLength(2);
  expect(clock.pendingTimers).toBe(0);
});

test('aborted while it waits for a retry, it tries once more and ends', async () => {
  const { clock, server, recorder, start, stop, ended, counted } = setUp();
  server.before = () => {
    throw new ConnectionError('refused');
  };
  start();
  recorder.record(pod(), 'Normal', 'A', 'x');
  await clock.settle();
  stop.abort();
  await clock.settle();
  expect(ended()).toBe(true);
  expect(server.requests).toHaveLength(2);
  expect(counted('failed')).toBe(1);
});

test('the end is bounded even when the server does not answer', async () => {
  const { clock, server, recorder, start, stop, ended, counted } = setUp();
  server.before = () => new Promise(() => {});
  start();
  recorder.record(pod(), 'Normal', 'A', 'x');
  recorder.record(pod(), 'Normal', 'B', 'x');
  await clock.settle();
  stop.abort();
  await clock.advance(4_999);
  expect(ended()).toBe(false);
  await clock.advance(1);
  expect(ended()).toBe(true);
  expect([counted('failed'), counted('dropped')]).toEqual([1, 1]);
  recorder.record(pod(), 'Normal', 'C', 'x');
  expect(counted('dropped')).toBe(2);
  expect(clock.pendingTimers).toBe(0);
});

test('aborted while idle, it ends at once', async () => {
  const { clock, start, stop, ended } = setUp();
  start();
  await clock.settle();
  stop.abort();
  await clock.settle();
  expect(ended()).toBe(true);
});

test('in the form of events.k8s.io a repetition is a series', async () => {
  const { clock, server, recorder, start } = setUp({ format: seriesEvents });
  start();
  recorder.record(pod(), 'Normal', 'Started', 'It runs', { action: 'Starting' });
  await clock.advance(1_000);
  recorder.record(pod(), 'Normal', 'Started', 'It runs', { action: 'Starting' });
  await clock.settle();
  expect(server.requests).toMatchObject([
    {
      resource: 'events.events.k8s.io',
      body: {
        regarding: { kind: 'Pod', uid: 'uid-web' },
        note: 'It runs',
        action: 'Starting',
        reportingController: 'test',
        reportingInstance: 'test-1',
        eventTime: '2030-01-01T00:00:00.000000Z',
      },
    },
    { verb: 'patch', body: { series: { count: 2, lastObservedTime: '2030-01-01T00:00:01.000000Z' } } },
  ]);
  expect(server.requests[0]?.body).not.toHaveProperty('series');
});

test('a lasting state has one Event, however many processes record it', async () => {
  const first = setUp();
  first.start();
  const tell = (recorder: typeof first.recorder, message = 'no such kind') =>
    recorder.record(pod(), 'Warning', 'UnknownKind', message, { standing: true });
  tell(first.recorder);
  await first.clock.settle();
  const second = setUp({ client: first.server });
  second.start();
  tell(second.recorder);
  await second.clock.settle();
  expect(await first.events()).toMatchObject([{ reason: 'UnknownKind', count: 1 }]);
  expect(second.counted('written')).toBe(1);
  tell(second.recorder, 'another kind');
  await second.clock.settle();
  expect(await first.events()).toHaveLength(2);
});
