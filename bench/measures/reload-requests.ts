import type { AuditEntry } from '../../test/control-plane/audit.ts';
import type { ControlPlane } from '../../test/control-plane/control-plane.ts';
import { startControlPlane } from '../../test/control-plane/start.ts';
import { configMapPost, createProbe, deploymentPost, namespacePost, PROBE } from '../bulk.ts';
import { type Post, sendAll } from '../fixtures.ts';
import { type Bench, type Measure, ms, type Row } from '../measure.ts';
import { installDefinitions, OPERATOR_NAMESPACE, operatorAccount, RunningOperator } from '../operator.ts';
import { Reloads } from '../reloads.ts';

const CHANGES = 100;
const WORKLOADS = 10;
const UNUSED_CHANGES = 500;
const NAMESPACE = 'requests';
/** Delayed writes (Events, a status, the history) are finished by then. */
const AFTERWARDS_MS = 12_000;
/** A second, less the time that two requests take to arrive. */
const SECOND_MS = 950;

export const reloadRequests: Measure = {
  name: 'reload-requests',
  title: 'Requests',
  how: `What the operator asked the API server for, counted in its audit log, with kube-controller-manager and KWOK rolling everything out. ${CHANGES} changes over ${WORKLOADS} Deployments, half of them annotated and half targets of a ReloaderConfig; then ${UNUSED_CHANGES} changes of ConfigMaps that nobody uses.`,
  async run(_, { operator }: Bench) {
    await using cluster = await startControlPlane({ workloads: true });
    await installDefinitions(cluster);
    await createProbe(cluster);
    await createWorkloads(cluster);
    const { kubeconfig, user } = await operatorAccount(cluster);
    const probe = await Reloads.watch(cluster, PROBE.namespace);
    const reloads = await Reloads.watch(cluster, NAMESPACE);
    const running = new RunningOperator(operator, kubeconfig);
    const spent = async (work: () => Promise<void>): Promise<{ requests: AuditEntry[]; seconds: number }> => {
      const mark = await cluster.audit.mark();
      const began = performance.now();
      await work();
      await new Promise((resolve) => setTimeout(resolve, AFTERWARDS_MS));
      const seconds = (performance.now() - began) / 1000;
      return { requests: await cluster.audit.since(mark, { user }), seconds };
    };
    try {
      await probe.untilAtWork(PROBE.namespace, PROBE.configMap, PROBE.deployment);
      await reloads.quiet(5_000);
      const used = await spent(async () => {
        for (let index = 0; index < CHANGES; index++) {
          const name = `app-${index % WORKLOADS}`;
          await reloads.timed(NAMESPACE, name, name);
        }
      });
      const unused = await spent(async () => {
        for (let index = 0; index < UNUSED_CHANGES; index++) await reloads.change(NAMESPACE, 'unused');
      });
      return [...usedRows(used.requests, used.seconds), unusedRow(unused.requests)];
    } finally {
      await running.stop();
      await Promise.all([probe.close(), reloads.close()]);
    }
  },
};

async function createWorkloads(cluster: ControlPlane): Promise<void> {
  await sendAll(cluster, [namespacePost(NAMESPACE)]);
  const names = Array.from({ length: WORKLOADS }, (_, index) => `app-${index}`);
  const isTarget = (index: number): boolean => index % 2 === 1;
  await sendAll(cluster, [
    configMapPost(NAMESPACE, 'unused'),
    ...names.map((name) => configMapPost(NAMESPACE, name)),
    ...names.map((name, index) => {
      const post = deploymentPost(NAMESPACE, name, { configMaps: [name] });
      return isTarget(index) ? withoutAnnotations(post) : post;
    }),
    ...names.filter((_, index) => isTarget(index)).map((name) => configPost(name)),
  ]);
}

function withoutAnnotations({ path, body }: Post): Post {
  const { metadata, ...rest } = body as { metadata: { annotations: object } };
  const { annotations: _, ...kept } = metadata;
  return { path, body: { ...rest, metadata: kept } };
}

const configPost = (name: string): Post => ({
  path: `/apis/reloader.stakater.com/v1alpha1/namespaces/${NAMESPACE}/reloaderconfigs`,
  body: {
    apiVersion: 'reloader.stakater.com/v1alpha1',
    kind: 'ReloaderConfig',
    metadata: { name },
    spec: { watchedResources: { configMaps: [name] }, targets: [{ kind: 'Deployment', name }] },
  },
});

const READS = new Set(['get', 'list', 'watch']);

/** The operator polls for kinds that the cluster did not serve before; a change does not cause these requests. */
const isBackground = ({ verb, code }: AuditEntry): boolean => verb === 'watch' && code === 404;

function usedRows(requests: readonly AuditEntry[], seconds: number): Row[] {
  const isEvent = ({ resource }: AuditEntry): boolean => resource === 'events';
  const isStatus = ({ resource }: AuditEntry): boolean => resource === 'reloaderconfigs';
  const isOwn = ({ namespace }: AuditEntry): boolean => namespace === OPERATOR_NAMESPACE;
  const isRead = ({ verb }: AuditEntry): boolean => READS.has(verb);
  const count = (of: (entry: AuditEntry) => boolean): number => requests.filter(of).length;
  const writes = requests.filter(
    (entry) => !isRead(entry) && !isEvent(entry) && !isStatus(entry) && !isOwn(entry),
  );
  const perChange = (number: number): string => (number / CHANGES).toFixed(2);
  const reads = count((entry) => isRead(entry) && !isBackground(entry));
  const events = count(isEvent);
  const statuses = count((entry) => isStatus(entry) && !isRead(entry));
  const gap = shortestGap(requests.filter((entry) => isStatus(entry) && !isRead(entry)));
  return [
    {
      what: 'reads, per change and reloaded workload',
      ours: perChange(reads),
      others: 'best peer 0, Stakater 5 LISTs',
      target: '0',
      met: reads === 0,
    },
    {
      what: 'writes to the workload',
      ours: `${perChange(writes.length)} (${[...new Set(writes.map(({ verb }) => verb.toUpperCase()))].join(', ')})`,
      others: 'best peer 1 PUT, Stakater 1 PATCH',
      target: '1 PATCH',
      met: writes.length === CHANGES && writes.every(({ verb }) => verb === 'patch'),
    },
    { what: 'Events', ours: perChange(events), target: 'at most 1', met: events <= CHANGES },
    {
      what: 'status of a ReloaderConfig, time between two writes',
      ours: `at least ${ms(gap)} (${statuses} writes in all)`,
      target: 'at most three a second',
      met: gap >= SECOND_MS / 3,
    },
    {
      what: "to the operator's own objects, and looks for kinds that the cluster lacks",
      ours: `${count(isOwn)} and ${count(isBackground)} in ${Math.round(seconds)} s`,
    },
  ];
}

/** The shortest time in milliseconds between two writes to one object. */
function shortestGap(entries: readonly AuditEntry[]): number {
  const last = new Map<string, number>();
  let shortest = Number.POSITIVE_INFINITY;
  for (const { name, received } of entries.toSorted((a, b) => a.received - b.received)) {
    shortest = Math.min(shortest, received - (last.get(name) ?? Number.NEGATIVE_INFINITY));
    last.set(name, received);
  }
  return shortest;
}

function unusedRow(all: readonly AuditEntry[]): Row {
  const requests = all.filter((entry) => !isBackground(entry));
  const told = [...new Set(requests.map(({ verb, resource }) => `${verb} ${resource}`))].join(', ');
  return {
    what: `${UNUSED_CHANGES} changes of what nobody uses`,
    ours: `${requests.length} requests${told === '' ? '' : ` (${told})`}`,
    others: 'best peer 0, Stakater 2 500 LISTs',
    target: '0',
    met: requests.length === 0,
  };
}
