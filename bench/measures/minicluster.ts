import { spawnSync } from 'node:child_process';
import { Agent, request } from 'node:https';
import { performance } from 'node:perf_hooks';
import { startMinicluster } from '@reloader/minicluster';
import { type Measure, mb, median, ms, perSecond, times } from '../measure.ts';
import { runSubject } from '../subject.ts';

const WRITES = 20_000;
const WATCHERS = 10;
const HTTPS_WRITES = 2_000;
const HTTPS_IN_FLIGHT = 16;
const OBJECTS = 10_000;
const CONFIG_MAPS = { group: '', plural: 'configmaps' };

function startMs(): number {
  const code = `const began = performance.now(); const { startMinicluster } = await import('@reloader/minicluster');
    const cluster = await startMinicluster({ listen: {} }); console.log(performance.now() - began); await cluster.stop(); process.exit();`;
  const runs = Array.from({ length: 5 }, () =>
    Number(spawnSync(process.execPath, ['--input-type=module', '-e', code]).stdout.toString()),
  );
  return median(runs);
}

/** Creates and updates through the library, with watchers that count their events. */
async function libraryWritesPerSecond(): Promise<number> {
  const cluster = await startMinicluster({ workloads: false });
  let seen = 0;
  const stop = new AbortController();
  const watching = Array.from({ length: WATCHERS }, async () => {
    const { body } = await cluster.transport().request({
      method: 'GET',
      path: '/api/v1/configmaps?watch=1',
      headers: {},
      signal: stop.signal,
    });
    for await (const chunk of body) seen += chunk.length > 0 ? 1 : 0;
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const began = performance.now();
  for (let index = 0; index < WRITES; index++) {
    const metadata = { namespace: 'default', name: `object-${index % (WRITES / 2)}` };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { n: String(index) } };
    const existing = index < WRITES / 2 ? undefined : cluster.api.get(CONFIG_MAPS, metadata);
    if (existing) cluster.api.update(CONFIG_MAPS, { ...existing, data: object.data });
    else cluster.api.create(CONFIG_MAPS, object);
    // Lets the watchers read between writes, as in a program that awaits anything.
    if (index % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const rate = (WRITES * 1000) / (performance.now() - began);
  await new Promise((resolve) => setTimeout(resolve, 200));
  stop.abort();
  await Promise.allSettled(watching);
  await cluster.stop();
  if (seen < WATCHERS * WRITES) throw new Error(`the watchers saw ${seen} of ${WATCHERS * WRITES} events`);
  return rate;
}

async function httpsWritesPerSecond(
  target: { url: string; ca: string; token: string },
  prefix: string,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: HTTPS_IN_FLIGHT, ca: target.ca });
  let next = 0;
  const post = (name: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const sent = request(
        `${target.url}/api/v1/namespaces/default/configmaps`,
        {
          agent,
          method: 'POST',
          headers: { authorization: `Bearer ${target.token}`, 'content-type': 'application/json' },
        },
        (response) => {
          response.resume();
          response.on('end', () =>
            response.statusCode === 201 ? resolve() : reject(new Error(`${response.statusCode}`)),
          );
        },
      );
      sent.on('error', reject);
      sent.end(JSON.stringify({ metadata: { name }, data: { n: name } }));
    });
  const worker = async (): Promise<void> => {
    while (next < HTTPS_WRITES) await post(`${prefix}-${next++}`);
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: HTTPS_IN_FLIGHT }, worker));
  agent.destroy();
  return (HTTPS_WRITES * 1000) / (performance.now() - began);
}

export const minicluster: Measure = {
  name: 'minicluster',
  title: 'minicluster',
  how: `Start: import and listen on HTTPS, median of five processes. Writes through the library: ${WRITES.toLocaleString('en')} creates and updates of ConfigMaps with ${WATCHERS} watchers. Over HTTPS: ${HTTPS_WRITES.toLocaleString('en')} creates with ${HTTPS_IN_FLIGHT} in flight, against the real API server in the same run; each server runs in a process of its own.`,
  async run(cluster) {
    const start = startMs();
    const library = await libraryWritesPerSecond();
    const running = await cluster();
    const real = { url: running.server, ca: running.authority.certificate, token: running.adminToken };
    const floor = await httpsWritesPerSecond(real, 'rate');
    let overHttps = Number.NaN;
    await runSubject('minicluster', [], {
      nodeFlags: [],
      async whileRunning(target) {
        overHttps = await httpsWritesPerSecond(target as { url: string; ca: string; token: string }, 'rate');
      },
    });
    const empty = await runSubject('minicluster', [], { nodeFlags: [] });
    const full = await runSubject('minicluster', [String(OBJECTS)], { nodeFlags: [] });
    const perObject = ((full.residentMB - empty.residentMB) * 1024) / OBJECTS;
    return [
      { what: 'start', ours: ms(start), target: 'below 300 ms', met: start < 300 },
      {
        what: 'small writes through the library, 10 watchers',
        ours: perSecond(library),
        target: 'at least 5,000',
        met: library >= 5_000,
      },
      {
        what: 'small writes over HTTPS',
        ours: `${perSecond(overHttps)}, ${times(overHttps / floor)} the real server`,
        floor: perSecond(floor),
        target: "at least the real server's",
        met: overHttps >= floor,
      },
      {
        what: `memory per object (${OBJECTS.toLocaleString('en')} ConfigMaps)`,
        ours: `${perObject.toFixed(1)} KB`,
      },
      { what: 'resident, empty', ours: mb(empty.residentMB) },
    ];
  },
};
