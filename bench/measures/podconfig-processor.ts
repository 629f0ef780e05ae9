import type { ControlPlane } from '../../test/control-plane/control-plane.ts';
import { startControlPlane } from '../../test/control-plane/start.ts';
import { sendAll } from '../fixtures.ts';
import { type Bench, type Measure, ms, type Row } from '../measure.ts';
import { cpuMs, type Profile, profiled, WORK } from '../profile.ts';
import {
  configPost,
  createBare,
  createPods,
  installPodConfig,
  startPodConfig,
  untilConfigMaps,
} from './podconfig-ground.ts';

const PODS = 2_000;

export const podConfigProcessor: Measure = {
  name: 'podconfig-processor',
  title: 'ConfigMaps from pods: where the processor time goes',
  how: `Processor time of every process while ConfigMaps of ${PODS.toLocaleString('en')} pods are created, as above, and beside it while the bare client of the floor creates as many. Client: the controller, or the bare client. Reader: the program that counts ConfigMaps until all are there. Then the parts of the controller's time, all threads, by samples of \`perf\` (\`bench/profile.ts\`); waiting is not in it.`,
  async run(_, { operator, scale }: Bench) {
    const count = Math.round(PODS * scale);
    await using cluster = await startControlPlane({ auditLevel: 'None' });
    const account = await installPodConfig(cluster);
    await createPods(cluster, 'pods', count);
    // The first one warms the server.
    await createBare(cluster, 'floor-before', count);
    const bare = await spentBy(cluster, async () => void (await createBare(cluster, 'floor', count)));
    const running = await startPodConfig(operator, account);
    try {
      let profile: Profile | undefined;
      const spent = await spentBy(cluster, async () => {
        profile = await profiled(running.pid, async () => {
          await sendAll(cluster, [configPost('pods')]);
          await untilConfigMaps(cluster, 'pods', count);
        });
      });
      return rowsOf(profile as Profile, spent, bare, count);
    } finally {
      await running.stop();
    }
  },
};

/** Milliseconds of processor time. */
interface Spent {
  readonly server: number;
  readonly etcd: number;
  /** Of the measurement itself. */
  readonly own: number;
}

async function spentBy(cluster: ControlPlane, work: () => Promise<void>): Promise<Spent> {
  const now = (): Spent => {
    const { user, system } = process.cpuUsage();
    return {
      server: cpuMs(cluster.pid('kube-apiserver') ?? 0),
      etcd: cpuMs(cluster.pid('etcd') ?? 0),
      own: (user + system) / 1_000,
    };
  };
  const before = now();
  await work();
  const after = now();
  return {
    server: after.server - before.server,
    etcd: after.etcd - before.etcd,
    own: after.own - before.own,
  };
}

function rowsOf({ cpuMs: client, shares }: Profile, ours: Spent, bare: Spent, count: number): Row[] {
  const each = (spent: number): string => `${((spent * 1_000) / count).toFixed(0)} µs`;
  const row = (what: string, spent: number, floor: number): Row => ({
    what,
    ours: `${ms(spent)}, ${each(spent)} for each ConfigMap`,
    floor: `${ms(floor)}, ${each(floor)}`,
  });
  return [
    row('client', client, bare.own),
    row('kube-apiserver', ours.server, bare.server),
    row('etcd', ours.etcd, bare.etcd),
    { what: 'reader', ours: ms(ours.own) },
    ...WORK.map((work) => ({
      what: `of the client: ${work}`,
      ours: shares.size === 0 ? '?' : `${Math.round(100 * (shares.get(work) ?? 0))} %`,
    })),
  ];
}
