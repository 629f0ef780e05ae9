import { afterEach, expect, test } from 'vitest';
import { useControlPlane } from '../../../../test/control-plane/vitest.ts';
import { type Client, createClient, kinds, loadConfig } from '../client/index.ts';
import { systemClock } from '../clock/clock.ts';
import { createElector, FenceError, fencedClient, type LeaseElector, LeaseLostError } from './index.ts';

const cluster = useControlPlane();
const LEASE = { namespace: 'default', name: 'operator' };
/** The defaults, five times as fast. */
const TIMINGS = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 400 };

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Only the documented permissions: get, create and update of the Lease. */
async function replica(identity: string) {
  const account = await cluster().serviceAccount('default', identity, {
    rules: [
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: [LEASE.name],
        verbs: ['get', 'update'],
      },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get'] },
    ],
  });
  const config = await loadConfig({ kubeconfig: account.kubeconfig });
  const client: Client = createClient({ config });
  const elector: LeaseElector = createElector({ client, lease: LEASE, identity, ...TIMINGS });
  const stop = new AbortController();
  const leads = deferred();
  const outcome = elector.run(stop.signal, { onStartedLeading: () => leads.resolve() }).then(
    () => 'ended',
    (error: unknown) => error,
  );
  ends.push(async () => {
    stop.abort();
    await outcome;
    await client.close();
  });
  return { elector, client, stop, leads: leads.promise, outcome, user: account.user };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const took = async (work: Promise<unknown>): Promise<number> => {
  const start = systemClock.monotonic();
  await work;
  return systemClock.monotonic() - start;
};

test('one leads, renews without reading, gives the lease back, and the other follows at once', async () => {
  const one = await replica('one');
  await one.leads;
  const two = await replica('two');
  const mark = await cluster().audit.mark();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const asked = (await cluster().audit.since(mark, { user: one.user })).map(({ verb }) => verb);
  expect(asked.length).toBeGreaterThanOrEqual(3);
  expect(new Set(asked)).toEqual(new Set(['update']));
  one.stop.abort();
  expect(await one.outcome).toBe('ended');
  await one.elector.release();
  const handover = await took(two.leads);
  process.stdout.write(`handover after release: ${Math.round(handover)} ms\n`);
  expect(two.elector.fence()?.epoch).toBe(1);
});

test('a leader that cannot reach the server closes its fence before another leads', async () => {
  await cluster().kubectl(['delete', 'lease', LEASE.name, '-n', LEASE.namespace, '--ignore-not-found']);
  const three = await replica('three');
  await three.leads;
  const fenced = fencedClient(three.client, three.elector, systemClock);
  await fenced.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'while-leading' } });
  const four = await replica('four');
  await cluster().kubectl([
    'delete',
    'rolebinding',
    '-n',
    'default',
    '-l',
    'none=none',
    '--ignore-not-found',
  ]);
  // The server pauses for all; when it resumes, the leader has given up by its own clock.
  await cluster().kill('kube-apiserver', 'SIGSTOP');
  const lost = await three.outcome;
  expect(lost).toBeInstanceOf(LeaseLostError);
  await expect(
    fenced.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'too-late' } }),
  ).rejects.toBeInstanceOf(FenceError);
  await cluster().kill('kube-apiserver', 'SIGCONT');
  await four.leads;
  expect(four.elector.fence()?.epoch).toBeGreaterThan(0);
});
