import { startControlPlane } from '../../test/control-plane/start.ts';
import { sendAll } from '../fixtures.ts';
import { type Bench, type Measure, mb, ms, type Row, times } from '../measure.ts';
import {
  configPost,
  createBare,
  createPods,
  IN_FLIGHT,
  installPodConfig,
  startPodConfig,
  untilConfigMaps,
} from './podconfig-ground.ts';

const SIZES = [2_000, 10_000];
const TARGET = 1.5;

export const podConfigCreate: Measure = {
  name: 'podconfig-create',
  title: 'ConfigMaps from pods',
  how: `From creating a PodConfigMapConfig that selects all pods of a namespace to their last ConfigMap, the listing of the pods included. The floor is a bare client that creates ConfigMaps of the same size, ${IN_FLIGHT} at a time, before and after; the better of the two counts. Memory: what the process holds afterwards beyond what it held before, by pod; the peak is that of its whole life.`,
  async run(_, { operator, scale }: Bench) {
    const rows: Row[] = [];
    for (const size of SIZES) {
      const count = Math.round(size * scale);
      await using cluster = await startControlPlane({ auditLevel: 'None' });
      const account = await installPodConfig(cluster);
      await createPods(cluster, 'pods', count);
      const floorBefore = await createBare(cluster, 'floor-before', count);
      const running = await startPodConfig(operator, account);
      try {
        const idle = running.usage();
        const began = performance.now();
        await sendAll(cluster, [configPost('pods')]);
        await untilConfigMaps(cluster, 'pods', count);
        const took = performance.now() - began;
        await running.steady();
        const usage = running.usage();
        const floor = Math.min(floorBefore, await createBare(cluster, 'floor-after', count));
        rows.push(...rowsOf(count, took, floor, usage, idle));
      } finally {
        await running.stop();
      }
    }
    return rows;
  },
};

interface Memory {
  readonly residentMB: number;
  readonly peakMB: number;
  readonly cpuSeconds: number;
}

function rowsOf(count: number, took: number, floor: number, usage: Memory, idle: Memory): Row[] {
  const pods = count.toLocaleString('en');
  const kb = ((usage.residentMB - idle.residentMB) * 1024) / count;
  const cpu = usage.cpuSeconds - idle.cpuSeconds;
  return [
    {
      what: `${pods} pods, from none to all ConfigMaps`,
      ours: `${ms(took)}, ${times(took / floor)} the floor`,
      floor: ms(floor),
      others: 'earlier controller: 540 times (118 s for 300 pods)',
      target: `at most ${TARGET} times`,
      met: took <= TARGET * floor,
    },
    {
      what: `${pods} pods, memory and processor`,
      ours: `${kb.toFixed(1)} kB by pod; ${mb(usage.residentMB)} resident, ${mb(usage.peakMB)} at the peak; ${cpu.toFixed(1)} s of CPU`,
    },
  ];
}
