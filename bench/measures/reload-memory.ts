import type { ControlPlane } from '../../test/control-plane/control-plane.ts';
import { spawnGuarded } from '../../test/control-plane/lifeline.ts';
import { startControlPlane } from '../../test/control-plane/start.ts';
import { IMAGE_ENVIRONMENT, imageFlags } from '../../test/operator-start.ts';
import { createProbe, deploymentPost, PROBE } from '../bulk.ts';
import { createSources, sendAll } from '../fixtures.ts';
import { type Bench, type Measure, mb, median, ms, type Row, times } from '../measure.ts';
import {
  installDefinitions,
  node24,
  operatorAccount,
  RunningOperator,
  type Usage,
  usageOf,
} from '../operator.ts';
import { Reloads } from '../reloads.ts';

const SOURCES = 5_000;
const BYTES = 8_192;
const DEPLOYMENTS = 1_000;
/** The process returns freed pages to the system a little later. */
const SETTLE_MS = 5_000;
const IDLE_RUNS = 3;
const IDLE_TARGET = 1.4;
const START_TARGET_MS = 1_500;
const TARGETS = { 20: { resident: 70, peak: 80 }, 24: { resident: 82, peak: 92 } } as const;

export const reloadMemory: Measure = {
  name: 'reload-memory',
  title: `Memory and start, with ${SOURCES.toLocaleString('en')} Secrets and as many ConfigMaps of 8 KB and ${DEPLOYMENTS.toLocaleString('en')} Deployments`,
  how: `The operator runs in a process of its own with \`${imageFlags().join(' ')}\` and \`MALLOC_ARENA_MAX=1\` (on Node 24 the flags of the Dockerfile), as the image starts it. Resident memory ${SETTLE_MS / 1000} s after it reloaded a first workload and wrote nothing more; the peak is that of its whole life, from a first start that records all workloads. Idle: a cluster without workloads; the floor is a Node process that does nothing, with the same flags, median of ${IDLE_RUNS}. Start to first reload: from starting the process to a new template on a watch, while a ConfigMap changes every 50 ms.`,
  async run(_, { operator, scale }: Bench) {
    await using cluster = await startControlPlane({ auditLevel: 'None' });
    await installDefinitions(cluster);
    const account = await operatorAccount(cluster);
    const start = (node?: string): RunningOperator => new RunningOperator(operator, account.kubeconfig, node);
    const idle: number[] = [];
    for (let run = 0; run < IDLE_RUNS; run++) idle.push(await idleMemory(start));
    const bare: number[] = [];
    for (let run = 0; run < IDLE_RUNS; run++) bare.push(await bareMemory());
    await createProbe(cluster);
    await createSources(cluster, Math.round(SOURCES * scale), BYTES);
    const rows: Row[] = [idleRow(median(idle), median(bare))];
    const reloads = await Reloads.watch(cluster, PROBE.namespace);
    try {
      const subjects = operator.start === undefined ? [process.execPath, node24()] : [process.execPath];
      for (const [index, node] of subjects.entries()) {
        if (node === undefined) continue;
        // New Deployments for each operator, so that each has a first start.
        await createDeployments(
          cluster,
          `round-${index}`,
          Math.round(DEPLOYMENTS * scale),
          Math.round(SOURCES * scale),
        );
        const found = await measured(start, node, reloads);
        rows.push(...sizeRows(index === 0 ? 20 : 24, found));
      }
      return rows;
    } finally {
      await reloads.close();
    }
  },
};

interface Found {
  readonly first: Usage & { readonly startMs: number };
  readonly again: Usage & { readonly startMs: number };
}

async function measured(
  start: (node: string) => RunningOperator,
  node: string,
  reloads: Reloads,
): Promise<Found> {
  const once = async (): Promise<Found['first']> => {
    const running = start(node);
    try {
      const at = await reloads.untilAtWork(PROBE.namespace, PROBE.configMap, PROBE.deployment);
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      await running.steady();
      return { ...running.usage(), startMs: at - running.began };
    } finally {
      await running.stop();
    }
  };
  return { first: await once(), again: await once() };
}

async function idleMemory(start: () => RunningOperator): Promise<number> {
  const running = start();
  try {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    return running.usage().residentMB;
  } finally {
    await running.stop();
  }
}

async function bareMemory(): Promise<number> {
  const args = [...imageFlags(), '-e', 'setInterval(() => undefined, 1e6)'];
  const child = spawnGuarded(process.execPath, args, {
    output: 'ignore',
    env: { ...process.env, ...IMAGE_ENVIRONMENT },
  });
  try {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return usageOf(child.pid ?? 0).residentMB;
  } finally {
    child.kill('SIGKILL');
  }
}

/** In the namespaces of the sources; each uses a ConfigMap and a Secret of its namespace. */
async function createDeployments(
  cluster: ControlPlane,
  prefix: string,
  count: number,
  sources: number,
): Promise<void> {
  await sendAll(
    cluster,
    Array.from({ length: count }, (_, index) => {
      // Sources are spread over 20 namespaces by their number.
      const used = {
        configMaps: [`source-${index % sources}`],
        secrets: [`source-${(index + 20) % sources}`],
      };
      return deploymentPost(`bench-${index % 20}`, `${prefix}-${index}`, used);
    }),
  );
}

function idleRow(ours: number, bare: number): Row {
  return {
    what: 'resident, idle',
    ours: `${mb(ours)}, ${times(ours / bare)} the floor`,
    floor: mb(bare),
    others: 'best peer and Stakater 41 MB',
    target: `at most ${IDLE_TARGET} times`,
    met: ours <= IDLE_TARGET * bare,
  };
}

function sizeRows(node: 20 | 24, { first, again }: Found): Row[] {
  const target = TARGETS[node];
  const others = 'best peer and Stakater 256 / 263 MB';
  const slower = Math.max(first.startMs, again.startMs);
  return [
    {
      what: `resident / peak, Node ${node}`,
      ours: `${mb(first.residentMB)} / ${mb(first.peakMB)}`,
      others,
      target: `${target.resident} / ${target.peak} MB`,
      met: first.residentMB <= target.resident && first.peakMB <= target.peak,
    },
    {
      what: `the same after a restart, Node ${node}`,
      ours: `${mb(again.residentMB)} / ${mb(again.peakMB)}`,
      others,
      target: `${target.resident} / ${target.peak} MB`,
      met: again.residentMB <= target.resident && again.peakMB <= target.peak,
    },
    {
      what: `start to first reload, Node ${node}`,
      ours: `${ms(first.startMs)}, ${ms(again.startMs)} after a restart; ${again.cpuSeconds.toFixed(1)} s of CPU`,
      others: 'best peer 1.1 s (1.3 s of CPU), Stakater 3.9 s (6.4 s of CPU)',
      target: `at most ${ms(START_TARGET_MS)}`,
      met: slower <= START_TARGET_MS,
    },
  ];
}
