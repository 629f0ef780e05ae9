/**
 * A run on a real control plane: creates the fleet, waits until the operator has recorded it, executes the plan, and
 * judges the history when everything is rolled out, or 30 s after the last change. The controllers of Kubernetes get
 * more time: after some kills of the API server they work with their old caches for longer than that, until its next
 * event.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createRandom } from '@reloader/runtime/testing';
import type { AuditEntry } from '../control-plane/audit.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { poll } from '../control-plane/poll.ts';
import { PRODUCT, STAKATER } from '../reloader/rbac.ts';
import { Driver } from './drive.ts';
import { followEtcd } from './etcd-history.ts';
import { BY_ANNOTATION, type Fleet, fleetOf, workloadId } from './fleet.ts';
import { History } from './history.ts';
import { judge, type Verdict } from './judge.ts';
import { manifestsOf } from './manifests.ts';
import { OperatorProcess } from './operator-process.ts';
import { type PlanOptions, planOf } from './plan.ts';
import { Reach, type Reached } from './reach.ts';

export interface RunOptions extends PlanOptions {
  readonly seed: number;
  readonly workloads: number;
  readonly flags: readonly string[];
  readonly logFile?: string;
  /** The file of the operator, which Node runs. */
  readonly program: string;
  /** With two replicas there is an election. One unless given. */
  readonly replicas?: 1 | 2;
  /** With the permissions of Stakater's chart, and without custom resources. */
  readonly compat?: boolean;
}

export interface Result extends Verdict {
  readonly operatorKills: number;
  readonly serverKills: number;
  readonly etcdKills: number;
  /** How long changes took to reach all pods. */
  readonly reach: Reached;
  /** Exits of the operator without a kill. */
  readonly ends: readonly string[];
  /** PATCHes of templates by the operator that the server accepted, from its audit log. */
  readonly patches: number;
  /** Requests by the operator with a verb that it does not need. */
  readonly otherWrites: readonly string[];
  readonly lastLines: readonly string[];
}

const NAMESPACE = 'reloader-system';
const NOTICED_WITHIN = 60_000;
/** After this many exits, another start will not succeed either. */
const HOPELESS_ENDS = 5;
/** A change that is not rolled out by then is lost; with an election, a Lease has to expire first, perhaps twice. */
const LOST_AFTER = 30_000;
const LOST_AFTER_ELECTIONS = 90_000;
/** Time for the controllers to replace the pods after a template change. */
const REPLACED_WITHIN = 120_000;
/** An unwanted reload would have happened by then. */
const QUIET = 4_000;

export async function runKills(cluster: ControlPlane, options: RunOptions): Promise<Result> {
  const random = createRandom(options.seed);
  const began = performance.now();
  const log = (line: string) => console.info(`${((performance.now() - began) / 1000).toFixed(1)} s  ${line}`);
  const { replicas = 1, compat = false } = options;
  const patienceMs = replicas > 1 ? LOST_AFTER_ELECTIONS : LOST_AFTER;
  const fleet = compat ? fleetOf(options.workloads, BY_ANNOTATION) : fleetOf(options.workloads);
  const history = new History();
  const reach = new Reach(fleet, history);
  const stop = new AbortController();
  const following = followEtcd(
    cluster,
    fleet.namespaces,
    (version) => {
      history.add(version);
      reach.look();
    },
    stop.signal,
  );
  following.catch(() => undefined);
  const account = await cluster.serviceAccount(NAMESPACE, 'reloader', {
    clusterRules: compat ? STAKATER.cluster : PRODUCT.cluster,
    rules: compat ? STAKATER.own : PRODUCT.own,
  });
  const operators = Array.from(
    { length: replicas },
    (_, index) =>
      new OperatorProcess({
        kubeconfig: account.kubeconfig,
        // Any free port: other operators run on this machine.
        flags: [
          '--http-bind-address=127.0.0.1:0',
          ...(replicas > 1 ? ['--enable-ha=true'] : []),
          ...options.flags,
        ],
        env: {
          POD_NAMESPACE: NAMESPACE,
          RELOADER_NAMESPACE: NAMESPACE,
          POD_NAME: `reloader-${index}`,
        },
        ...(options.logFile !== undefined && { logFile: options.logFile }),
        program: options.program,
      }),
  );
  const [operator] = operators as [OperatorProcess];
  const startAll = (): void => {
    for (const each of operators) each.start();
  };
  const killAll = (): Promise<unknown> => Promise.all(operators.map((each) => each.kill()));
  /** The lost changes when everything is rolled out, or after the timeout. */
  const lostWithin = async (timeout: number): Promise<readonly string[]> => {
    const isDone = () => {
      const { lost, awaited } = judge(fleet, history);
      return lost.length + awaited.length === 0;
    };
    await poll(isDone, { what: 'the end', timeout, every: 100 }).catch(() => undefined);
    return judge(fleet, history).lost;
  };
  try {
    await createFleet(cluster, fleet, history);
    log(`${fleet.workloads.length} workloads run`);
    startAll();
    await untilNoticed(fleet, cluster, operator);
    log('the operator has taken notice of all of them');
    const mark = await cluster.audit.mark();
    reach.begin();
    const driver = new Driver({ cluster, fleet, history, operators, random, log, patienceMs, reach });
    await driver.carryOut(planOf(options, random));
    log('all changes are made');
    const lostAtOnce = await lostWithin(patienceMs);
    log(`all is rolled out, or lost: ${lostAtOnce.length}`);
    const lostInTheEnd = await lostWithin(REPLACED_WITHIN);
    log('all pods are replaced, or will not be');
    // One more restart when all is quiet: the operator must find nothing to do.
    const operatorKills = operators.reduce((sum, each) => sum + each.kills, 0);
    await killAll();
    startAll();
    await delay(replicas > 1 ? LOST_AFTER + QUIET : QUIET);
    const requests = await cluster.audit.since(mark, { user: account.user });
    return {
      ...judge(fleet, history),
      lost: [...new Set([...lostAtOnce, ...lostInTheEnd])],
      operatorKills,
      serverKills: driver.serverKills,
      etcdKills: driver.etcdKills,
      reach: reach.result(),
      ends: operators.flatMap(({ ends }) => ends),
      patches: requests.filter(isTemplatePatch).length,
      otherWrites: requests.filter(isOtherWrite).map(({ verb, requestURI }) => `${verb} ${requestURI}`),
      lastLines: operators.flatMap(({ lines }) => lines),
    };
  } finally {
    await killAll();
    stop.abort();
  }
}

async function createFleet(cluster: ControlPlane, fleet: Fleet, history: History): Promise<void> {
  const definition = fileURLToPath(new URL('../../crd/reloaderconfig_crd.yaml', import.meta.url));
  await cluster.kubectl(['apply', '--server-side', '-f', definition]);
  await cluster.kubectl(['wait', '--for=condition=Established', '-f', definition]);
  for (const { path, body } of manifestsOf(fleet)) await cluster.api.call(path, { method: 'POST', body });
  const run = () => fleet.workloads.every((workload) => history.livingPods(workload).length > 0);
  await poll(run, { what: 'every workload to have pods', timeout: 60_000 });
}

/** Waits until the operator has recorded every workload: it does not roll out changes from before that. */
async function untilNoticed(
  { workloads }: Fleet,
  cluster: ControlPlane,
  operator: OperatorProcess,
): Promise<void> {
  const wanted = workloads.filter(({ optIn }) => optIn !== 'none');
  let missing = wanted;
  const isOver = async (): Promise<boolean> => {
    const noted = await notedWorkloads(cluster);
    missing = wanted.filter(({ kind, namespace, name }) => !noted.has(`${namespace}/${kind}.${name}`));
    return missing.length === 0 || operator.ends.length >= HOPELESS_ENDS;
  };
  await poll(isOver, { what: 'notes', timeout: NOTICED_WITHIN }).catch(() => undefined);
  if (missing.length === 0) return;
  const names = missing.map((workload) => `${workloadId(workload)} (${workload.optIn})`);
  const ended = operator.ends.length > 0 ? `it ended with ${operator.ends.join(', ')}` : 'it runs';
  throw new Error(`The operator did not record ${names.join(', ')}; ${ended}:\n${operator.lines.join('\n')}`);
}

/** The workloads in the notebook, by their names there: `shop/Deployment.web`. */
async function notedWorkloads({ api }: ControlPlane): Promise<ReadonlySet<string>> {
  const path = `/api/v1/namespaces/${NAMESPACE}/configmaps?labelSelector=reloader.stakater.com%2Fnotes`;
  const { items } = (await api.call(path)) as {
    items: { metadata: { name: string }; data?: Record<string, string> }[];
  };
  return new Set(
    items.flatMap(({ metadata: { name }, data = {} }) => {
      const namespace = name.replace(/^reloader-notes-/, '').replace(/\.\d+$/, '');
      return Object.keys(data).map((key) => `${namespace}/${key}`);
    }),
  );
}

const WORKLOADS = new Set(['deployments', 'statefulsets', 'daemonsets']);

/** `test` operations of a JSON Patch change nothing. */
export function isTemplatePatch({ verb, resource, subresource, code, requestObject }: AuditEntry): boolean {
  if (verb !== 'patch' || !WORKLOADS.has(resource) || subresource !== '' || code >= 300) return false;
  if (!Array.isArray(requestObject)) return JSON.stringify(requestObject ?? {}).includes('"template"');
  return (requestObject as { op: string; path: string }[]).some(
    ({ op, path }) => op !== 'test' && path.startsWith('/spec/template'),
  );
}

const EXPECTED = new Set(['get', 'list', 'watch', 'patch']);

/** The operator only patches users' objects; it creates only Events and reviews of its own permissions. */
function isOtherWrite({ verb, resource, namespace }: AuditEntry): boolean {
  if (EXPECTED.has(verb) || namespace === NAMESPACE) return false;
  return !(verb === 'create' && (resource === 'events' || resource.startsWith('selfsubject')));
}
