import type { ControlPlane } from '../../test/control-plane/control-plane.ts';
import { startControlPlane } from '../../test/control-plane/start.ts';
import {
  configMapPost,
  createProbe,
  deploymentPost,
  endProbeRollout,
  namespacePost,
  PROBE,
} from '../bulk.ts';
import { type Post, sendAll } from '../fixtures.ts';
import { type Bench, type Measure, mb, median, ms, type Row, times } from '../measure.ts';
import { installDefinitions, operatorAccount, RunningOperator, type Usage } from '../operator.ts';
import { Reloads } from '../reloads.ts';
import { timedChanges } from './reload-latency.ts';

export interface ClusterSize {
  readonly namespaces: number;
  /** Half of the sources are Secrets. */
  readonly sources: number;
  readonly workloads: number;
}

const SIZES: readonly ClusterSize[] = [
  { namespaces: 3, sources: 1_000, workloads: 300 },
  { namespaces: 30, sources: 10_000, workloads: 3_000 },
  { namespaces: 300, sources: 100_000, workloads: 30_000 },
];
const CHANGES = 100;
const IDLE_MS = 30_000;
/** A first start writes its notes to the operator's own ConfigMaps at a limited rate: 30,000 take minutes. */
const NO_WRITES_MS = 10_000;
const PATIENCE_MS = 600_000;
const TARGETS = { megabytes: 256, ratio: 1.3, startMs: 15_000 } as const;
/** An arbitrary free port, on which the operator serves its metrics. */
const PORT = 19_190;

export const scale: Measure = {
  name: 'scale',
  title: 'By the size of the cluster',
  how: `Clusters of growing size, half of the sources Secrets, each workload using two. Of a restart, which finds all workloads recorded: resident memory and its peak, the time from starting the process to the first reload, half of ${CHANGES} changes to the new template as above, and the requests that the operator sent in ${IDLE_MS / 1_000} s in which nothing changed, without looks for kinds that the cluster lacks (its own count).`,
  async run(_, { operator, scale: share }: Bench) {
    await using cluster = await startControlPlane({ auditLevel: 'None' });
    await installDefinitions(cluster);
    await createProbe(cluster);
    const { kubeconfig } = await operatorAccount(cluster);
    const reloads = await Reloads.watch(cluster, PROBE.namespace);
    const found: Found[] = [];
    try {
      let before: ClusterSize = { namespaces: 0, sources: 0, workloads: 0 };
      for (const full of SIZES) {
        const size = scaled(full, share);
        await fillCluster(cluster, before, size);
        before = size;
        const start = (): RunningOperator =>
          new RunningOperator(operator, kubeconfig, process.execPath, PORT);
        await recordAll(start, reloads);
        found.push({ size, ...(await measured(start, reloads, cluster)) });
      }
      return rows(found);
    } finally {
      await reloads.close();
    }
  },
};

interface Found {
  readonly size: ClusterSize;
  readonly usage: Usage;
  readonly startMs: number;
  readonly changeMs: number;
  readonly idleRequests: number;
}

const atWork = (reloads: Reloads): Promise<number> =>
  reloads.untilAtWork(PROBE.namespace, PROBE.configMap, PROBE.deployment, 600_000);

async function recordAll(start: () => RunningOperator, reloads: Reloads): Promise<void> {
  const running = start();
  try {
    await atWork(reloads);
    await running.steady();
    await untilNothingIsWritten();
  } finally {
    await running.stop();
  }
}

async function untilNothingIsWritten(): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let last = -1, now = await requestsSent(); now > last; ) {
    if (performance.now() > deadline) throw new Error('The operator did not stop writing');
    await new Promise((resolve) => setTimeout(resolve, NO_WRITES_MS));
    [last, now] = [now, await requestsSent()];
  }
}

async function measured(
  start: () => RunningOperator,
  reloads: Reloads,
  cluster: ControlPlane,
): Promise<Omit<Found, 'size'>> {
  const running = start();
  try {
    const startMs = (await atWork(reloads)) - running.began;
    await running.steady();
    const usage = running.usage();
    const changeMs = median((await timedChanges(reloads, CHANGES)).map(({ reloaded }) => reloaded));
    // A rollout that does not end is looked at by its pods: that is no idle time.
    await endProbeRollout(cluster);
    // Events and other writes for the last reloads continue for a while.
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const before = await requestsSent();
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    return { usage, startMs, changeMs, idleRequests: (await requestsSent()) - before };
  } finally {
    await running.stop();
  }
}

/** Without those that were answered 404: an operator looks now and then for kinds that the cluster lacks. */
async function requestsSent(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${PORT}/metrics`)).text();
  return [...text.matchAll(/^rest_client_requests_total\{(.*)\} (\d+)/gm)].reduce(
    (sum, [, labels = '', count]) => sum + (labels.includes('code="404"') ? 0 : Number(count)),
    0,
  );
}

async function fillCluster(cluster: ControlPlane, from: ClusterSize, to: ClusterSize): Promise<void> {
  const place = (index: number): string => `scale-${index % to.namespaces}`;
  const range = (start: number, end: number): number[] =>
    Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);
  const prefix = `of-${to.sources}`;
  await sendAll(
    cluster,
    range(from.namespaces, to.namespaces).map((index) => namespacePost(place(index))),
  );
  await sendAll(
    cluster,
    range(0, (to.sources - from.sources) / 2).flatMap((index) => [
      configMapPost(place(index), `${prefix}-${index}`),
      secretPost(place(index), `${prefix}-${index}`),
    ]),
  );
  await sendAll(
    cluster,
    range(0, to.workloads - from.workloads).map((index) => {
      const used = { configMaps: [`${prefix}-${index}`], secrets: [`${prefix}-${index}`] };
      return deploymentPost(place(index), `${prefix}-${index}`, used);
    }),
  );
}

const secretPost = (namespace: string, name: string): Post => ({
  path: `/api/v1/namespaces/${namespace}/secrets`,
  body: { metadata: { name }, data: { value: 'aW5pdGlhbA==' } },
});

const scaled = ({ namespaces, sources, workloads }: ClusterSize, share: number): ClusterSize => ({
  namespaces: Math.max(1, Math.round(namespaces * share)),
  sources: 2 * Math.round((sources * share) / 2),
  workloads: Math.round(workloads * share),
});

function rows(found: readonly Found[]): Row[] {
  const [first] = found;
  return found.map(({ size, usage, startMs, changeMs, idleRequests }, index) => {
    const ratio = changeMs / (first?.changeMs ?? changeMs);
    const { megabytes, ratio: most, startMs: longest } = TARGETS;
    const { namespaces, sources, workloads } = size;
    const isLast = index === found.length - 1;
    return {
      what: `${sources.toLocaleString('en')} sources, ${workloads.toLocaleString('en')} workloads, ${namespaces} namespaces`,
      ours: `${mb(usage.residentMB)} resident, ${mb(usage.peakMB)} at the peak; start ${(startMs / 1_000).toFixed(1)} s, ${usage.cpuSeconds.toFixed(1)} s of CPU; change to template ${ms(changeMs)}, ${times(ratio)} the smallest; ${idleRequests} requests while idle`,
      ...(isLast && {
        target: `${megabytes} MB, ${longest / 1_000} s, ${most} times, 0 requests`,
        met: usage.residentMB <= megabytes && startMs <= longest && ratio <= most && idleRequests === 0,
      }),
    };
  });
}
