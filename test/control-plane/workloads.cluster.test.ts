import { describe, expect, test } from 'vitest';
import { behaviourAnnotation, behaviours, delayAnnotation } from './stages.ts';
import { useControlPlane } from './vitest.ts';

const cluster = useControlPlane({ workloads: true });

interface Pod {
  readonly status: {
    readonly phase: string;
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly { readonly restartCount: number; readonly state: object }[];
  };
}

const template = (app: string, annotations: Record<string, string> = {}) => ({
  metadata: { labels: { app }, annotations },
  spec: { containers: [{ name: 'main', image: 'none' }], initContainers: [{ name: 'init', image: 'none' }] },
});

const deployment = (name: string, replicas: number, annotations: Record<string, string> = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name, annotations) },
});

const apply = (input: object) => cluster().kubectl(['apply', '-f', '-'], { input });
const rolledOut = (name: string) =>
  cluster().kubectl(['rollout', 'status', `deployment/${name}`, '--timeout=60s']);

async function pods(app: string): Promise<readonly Pod[]> {
  const list = await cluster().kubectl(['get', 'pods', '-l', `app=${app}`, '-o', 'json']);
  return (JSON.parse(list) as { items: Pod[] }).items;
}

const phases = async (app: string) => (await pods(app)).map((pod) => pod.status.phase);
const condition = (pod: Pod | undefined, type: string) =>
  pod?.status.conditions.find((candidate) => candidate.type === type)?.status;

describe('a workload', () => {
  test('a Deployment of 3 rolls out, and again after a restart', async () => {
    await apply(deployment('web', 3));
    await rolledOut('web');
    expect(await phases('web')).toEqual(['Running', 'Running', 'Running']);
    await cluster().kubectl(['rollout', 'restart', 'deployment/web']);
    expect(await rolledOut('web')).toContain('successfully rolled out');
    await expect.poll(() => phases('web'), { timeout: 10_000 }).toEqual(['Running', 'Running', 'Running']);
  });

  test('a StatefulSet and a DaemonSet roll out', async () => {
    const selector = (app: string) => ({ matchLabels: { app } });
    await apply({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db' },
      spec: { replicas: 2, serviceName: 'db', selector: selector('db'), template: template('db') },
    });
    await apply({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent' },
      spec: { selector: selector('agent'), template: template('agent') },
    });
    await cluster().kubectl(['rollout', 'status', 'statefulset/db', '--timeout=60s']);
    await cluster().kubectl(['rollout', 'status', 'daemonset/agent', '--timeout=60s']);
    expect(await phases('agent')).toEqual(['Running']);
  });

  test('a Job completes', async () => {
    const job = template('once');
    await apply({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'once' },
      spec: { template: { ...job, spec: { ...job.spec, restartPolicy: 'Never' } } },
    });
    await cluster().kubectl(['wait', '--for=condition=complete', 'job/once', '--timeout=60s']);
    expect(await phases('once')).toEqual(['Succeeded']);
  });

  test('the pods of a deleted Deployment go', async () => {
    await apply(deployment('short-lived', 2));
    await rolledOut('short-lived');
    await cluster().kubectl(['delete', 'deployment', 'short-lived']);
    await expect.poll(() => phases('short-lived'), { timeout: 30_000 }).toEqual([]);
  });
});

describe('a pod with a behaviour annotation', () => {
  test('slow-start: is ready after the delay it names, not before', async () => {
    const started = performance.now();
    await apply(
      deployment('slow', 1, { [behaviourAnnotation]: behaviours.slowStart, [delayAnnotation]: '3s' }),
    );
    await rolledOut('slow');
    expect(performance.now() - started).toBeGreaterThan(2_500);
  });

  test('never-ready: runs without ever being ready', async () => {
    await apply(deployment('unready', 1, { [behaviourAnnotation]: behaviours.neverReady }));
    await expect.poll(() => phases('unready'), { timeout: 30_000 }).toEqual(['Running']);
    const [pod] = await pods('unready');
    expect(condition(pod, 'Initialized')).toBe('True');
    expect(condition(pod, 'Ready')).toBe('False');
  });

  test('crash: waits for its next start', async () => {
    await apply(deployment('crashing', 1, { [behaviourAnnotation]: behaviours.crash }));
    await expect.poll(() => phases('crashing'), { timeout: 30_000 }).toEqual(['Running']);
    const [pod] = await pods('crashing');
    expect(condition(pod, 'Ready')).toBe('False');
    expect(pod?.status.containerStatuses).toMatchObject([
      { restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } },
    ]);
  });
});

test('the controllers go on with their work after a kill', async () => {
  await cluster().kill('kube-controller-manager');
  await apply(deployment('late', 1));
  expect(await phases('late')).toEqual([]);
  await cluster().restart('kube-controller-manager');
  await rolledOut('late');
});
