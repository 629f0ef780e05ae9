import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { spawnGuarded } from '../../test/control-plane/lifeline.ts';
import { startControlPlane } from '../../test/control-plane/start.ts';
import { configMapPost, deploymentPost, namespacePost } from '../bulk.ts';
import { sendAll } from '../fixtures.ts';
import { type Bench, type Measure, median, times } from '../measure.ts';
import { installDefinitions, operatorAccount, RunningOperator } from '../operator.ts';
import { Reloads } from '../reloads.ts';

const DEPLOYMENTS = 1_000;
const CONNECTIONS = 64;
const ROUNDS = 3;
/** Rounds before the operator starts and after it ends: it must not compete with the floor for processor time. */
const FLOOR_ROUNDS = 2;
const NAMESPACE = 'fanout';
const SHARED = 'shared';
const TARGET = 1.75;
const PATIENCE = 600_000;

export const reloadFanout: Measure = {
  name: 'reload-fanout',
  title: `One ConfigMap that ${DEPLOYMENTS.toLocaleString('en')} Deployments use`,
  how: `From sending the change to the last Deployment's new template on a bare watch, median of ${ROUNDS} changes, on etcd and kube-apiserver alone (kube-controller-manager would roll out ${DEPLOYMENTS.toLocaleString('en')} Deployments at the same time and be measured with it). The floor, before and after, while no operator runs: as many PATCHes of those Deployments by a bare client with ${CONNECTIONS} connections (\`bench/subjects/patch-bare.mjs\`), seen on the same watch.`,
  async run(_, { operator, scale }: Bench) {
    const count = Math.round(DEPLOYMENTS * scale);
    await using cluster = await startControlPlane({ auditLevel: 'None' });
    await installDefinitions(cluster);
    await sendAll(cluster, [namespacePost(NAMESPACE)]);
    await sendAll(cluster, [
      configMapPost(NAMESPACE, SHARED),
      ...Array.from({ length: count }, (_, index) =>
        deploymentPost(NAMESPACE, `app-${index}`, { configMaps: [SHARED] }),
      ),
    ]);
    const reloads = await Reloads.watch(cluster, NAMESPACE);
    const bare: number[] = [];
    const measureFloor = async (): Promise<void> => {
      for (let round = 0; round < FLOOR_ROUNDS; round++) {
        bare.push(await barePatches(cluster.kubeconfig, reloads, count, `mark-${bare.length}`));
        await reloads.quiet();
      }
    };
    await measureFloor();
    const running = new RunningOperator(operator, (await operatorAccount(cluster)).kubeconfig);
    try {
      await reloads.untilAtWork(NAMESPACE, SHARED, 'app-0');
      await reloads.quiet(5_000);
      const ours: number[] = [];
      let extra = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const before = reloads.count;
        const { began } = await reloads.change(NAMESPACE, SHARED);
        ours.push((await reloads.counted(before, count, PATIENCE)) - began);
        await reloads.quiet();
        extra += reloads.count - before - count;
      }
      await running.stop();
      await measureFloor();
      const ratio = median(ours) / median(bare);
      return [
        {
          what: `to the last of ${count.toLocaleString('en')}`,
          ours: `${seconds(median(ours))}, ${times(ratio)} the floor`,
          floor: seconds(median(bare)),
          others: 'best peer 5.4 times (9.8 s), Stakater 110 times (198 s)',
          target: `at most ${TARGET} times`,
          met: ratio <= TARGET,
        },
        { what: 'reloads too many', ours: String(extra), others: 'wave 1', target: '0', met: extra === 0 },
      ];
    } finally {
      await running.stop();
      await reloads.close();
    }
  },
};

const seconds = (value: number): string => `${(value / 1000).toFixed(2)} s`;

/** Milliseconds from the start signal to the last new template on the watch. */
async function barePatches(
  kubeconfig: string,
  reloads: Reloads,
  count: number,
  mark: string,
): Promise<number> {
  const file = fileURLToPath(new URL('../subjects/patch-bare.mjs', import.meta.url));
  const args = [file, kubeconfig, NAMESPACE, String(count), String(CONNECTIONS), mark];
  const child = spawnGuarded(process.execPath, args, { output: 'pipe', input: 'pipe' });
  child.stderr?.pipe(process.stderr);
  try {
    const exited = once(child, 'exit').then(([code]) => {
      throw new Error(`The bare client ended with ${code} before it was connected`);
    });
    await Promise.race([once(createInterface({ input: child.stdout as Readable }), 'line'), exited]);
    exited.catch(() => undefined);
    const before = reloads.count;
    const began = performance.now();
    (child.stdin as Writable).write('go\n');
    return (await reloads.counted(before, count, PATIENCE)) - began;
  } finally {
    child.kill('SIGKILL');
  }
}
