/** C1: a crash after every single write. The end state equals that of a run without a crash. */
import { ConnectionLostError, startMinicluster } from '@reloader/minicluster';
import { type Client, createClient, kinds } from '@reloader/runtime';
import { VirtualClock } from '@reloader/runtime/testing';
import { expect, test } from 'vitest';
import { applyCrds } from '../../packages/operator/src/crds/apply.ts';
import { podConfigMapConfigCrd } from '../../packages/operator/src/crds/pod-config-map-config.ts';
import { PodConfigMapConfigs } from '../../packages/operator/src/podconfig/model.ts';
import { RunningController } from './running-controller.ts';
import { type Ground, Stage } from './stage.ts';

const AGENT = 'podconfig-under-test/1';
const NAMESPACE = 'default';
const SETTLE_MS = 20_000;

/** The users' actions; after each step the world gets time to settle. */
async function script(stage: Stage): Promise<void> {
  const { settle } = stage.ground;
  await stage.client.create(kinds.ConfigMap, {
    metadata: stage.key('pod-b-from-two-cfg'),
    data: { mine: '1' },
  });
  for (const name of ['a', 'b']) await stage.pod(name, { labels: { app: name } });
  await stage.config('one', { labelsToInclude: ['app'] });
  await stage.config('two', {
    configMapDataTemplate: { line: '{{ .metadata.name }} of {{ .metadata.labels.app }}' },
  });
  await settle();
  await stage.respec('one', { podSelector: { matchLabels: { app: 'b' } } });
  await stage.relabel('a', { app: 'c' });
  await settle();
  await stage.edit('pod-a-from-two-cfg', { data: { line: 'mine' }, metadata: { labels: null } });
  await stage.client.delete(kinds.ConfigMap, stage.key('pod-b-from-one-cfg'));
  await settle();
  await stage.client.delete(kinds.Pod, stage.key('b'));
  await stage.pod('b', { labels: { app: 'b' } });
  await stage.respec('two', { configMapDataTemplate: { line: '{{ nosuch }}' } });
  await settle();
  await stage.client.delete(PodConfigMapConfigs, stage.key('one'));
  await stage.respec('two', { configMapDataTemplate: { line: 'mended {{ .metadata.name }}' } });
  await settle();
  await stage.config('one', { annotationsToInclude: ['none'] });
  await settle();
}

interface Run {
  readonly state: unknown;
  readonly writes: number;
  readonly crashed: boolean;
}

/** Crashes after the write of that number, before its answer arrives. */
async function play(crashAfter?: number): Promise<Run> {
  const clock = new VirtualClock();
  let writes = 0;
  let crashed = false;
  let running: { controller: RunningController; dead: AbortController } | undefined;
  const kill = (): void => {
    crashed = true;
    running?.dead.abort(new Error('killed'));
    void running?.controller.stop().catch(() => undefined);
    running = undefined;
    clock.setTimeout(start, 500);
  };
  const cluster = await startMinicluster({
    clock,
    seed: 1,
    workloads: false,
    middleware: [
      (next) => async (request) => {
        const answer = await next(request);
        if (request.headers['user-agent'] !== AGENT || request.method === 'GET') return answer;
        writes += 1;
        if (writes !== crashAfter) return answer;
        kill();
        throw new ConnectionLostError('The client was stopped after this write');
      },
    ],
  });
  const client = createClient({ transport: cluster.transport(), clock });
  const ended = async <T>(promise: Promise<T>): Promise<T> => {
    let done = false;
    const end = promise.finally(() => {
      done = true;
    });
    while (!done) await clock.advance(100);
    return end;
  };
  await ended(applyCrds(client, { clock, definitions: [podConfigMapConfigCrd] }));
  function start(): void {
    const dead = new AbortController();
    const connect = (): Client => {
      const transport = cluster.transport();
      const request: typeof transport.request = (each) =>
        dead.signal.aborted ? Promise.reject(dead.signal.reason) : transport.request(each);
      return createClient({ transport: { ...transport, request }, clock, userAgent: AGENT });
    };
    running = { controller: new RunningController({ connect, clock }), dead };
  }
  start();
  const ground: Ground = {
    ...{ client, namespace: NAMESPACE, start, stop: async () => undefined, takeWrites: () => [] },
    settle: () => clock.advance(SETTLE_MS),
    until: async (check) => check(),
  };
  const stage = new Stage(ground);
  await script(stage);
  const state = await stateOf(stage);
  if (running) await ended(running.controller.stop());
  await ended(cluster.stop());
  return { state, writes, crashed };
}

/** The state that a user can see, without identities and times. */
async function stateOf(stage: Stage): Promise<unknown> {
  const { items } = await stage.client.list(kinds.ConfigMap, { namespace: NAMESPACE });
  const configMaps = items
    .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
    .map(({ metadata, data }) => ({
      name: metadata.name,
      data,
      config: metadata.labels?.['podconfig.example.com/generated-by-pcmc'],
      owners: metadata.ownerReferences?.map(({ name }) => name),
    }));
  const statuses = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const { conditions = [], ...counts } = await stage.status(name);
      return [
        counts,
        conditions.map(({ type, status, reason, message }) => ({ type, status, reason, message })),
      ];
    }),
  );
  return { configMaps, statuses };
}

test('the reference run does what it should', async () => {
  const { state, writes } = await play();
  const ready = (message: string) => [{ type: 'Ready', status: 'True', reason: 'Synced', message }];
  const made = (pod: string, config: string, data: object, name = `pod-${pod}-from-${config}-cfg`) => ({
    name,
    data: { podName: pod, namespace: NAMESPACE, nodeName: '', phase: 'Pending', pcmcName: config, ...data },
    config,
    owners: [pod],
  });
  expect(state).toEqual({
    configMaps: [
      made('a', 'one', {}),
      made('a', 'two', { line: 'mended a' }),
      made('b', 'one', {}),
      { name: 'pod-b-from-two-cfg', data: { mine: '1' }, config: undefined, owners: undefined },
      made('b', 'two', { line: 'mended b' }, expect.stringMatching(/^pod-b-from-two-cfg-[0-9a-f]{10}$/)),
    ],
    statuses: [
      [{ observedGeneration: 1, matchedPods: 2, managedConfigMaps: 2 }, ready('2 ConfigMaps for 2 pods')],
      [
        { observedGeneration: 3, matchedPods: 2, managedConfigMaps: 2 },
        [
          {
            type: 'Ready',
            status: 'True',
            reason: 'Synced',
            message: expect.stringMatching(
              /^2 ConfigMaps for 2 pods; under another name.*: pod-b-from-two-cfg-[0-9a-f]{10}$/,
            ),
          },
        ],
      ],
    ],
  });
  expect(writes).toBeGreaterThan(20);
});

test('killed after any one of its writes, the controller reaches the same end state', async () => {
  const { state, writes } = await play();
  for (let afterWrite = 1; afterWrite <= writes; afterWrite++) {
    const found = await play(afterWrite);
    expect(found.crashed, `a crash after write ${afterWrite}`).toBe(true);
    expect(found.state, `after write ${afterWrite}`).toEqual(state);
  }
}, 120_000);
