import { fileURLToPath } from 'node:url';
import { startControlPlane } from '../../test/control-plane/start.ts';
import { imageFlags } from '../../test/operator-start.ts';
import { configMapPost, createProbe, deploymentPost, namespacePost, PROBE } from '../bulk.ts';
import { createSources, sendAll } from '../fixtures.ts';
import { type Bench, type Measure, ms, type Row } from '../measure.ts';
import { installDefinitions, operatorAccount, RunningOperator } from '../operator.ts';
import { cpuMs, type Profile, profiled, WORK } from '../profile.ts';
import { Reloads } from '../reloads.ts';
import { timedChanges } from './reload-latency.ts';

const CHANGES = 200;
const DEPLOYMENTS = 1_000;
const ROUNDS = 3;
const SOURCES = 5_000;
const BYTES = 8_192;
const NAMESPACE = 'processor';
const SHARED = 'shared';
const TARGETS = { change: 3, fanout: 1.2 } as const;
const BARE = [
  process.execPath,
  ...imageFlags(),
  fileURLToPath(new URL('../subjects/reload-bare.mjs', import.meta.url)),
  '{kubeconfig}',
].join(' ');

export const processor: Measure = {
  name: 'processor',
  title: 'Where the processor time goes',
  how: `Processor time of all threads of the operator, and its parts by samples of \`perf\` (\`bench/profile.ts\`); waiting is not in it. One change: ${CHANGES} changes of a ConfigMap that one Deployment uses, one after the other, each until the new template is seen. Fan-out: ${ROUNDS} changes of a ConfigMap that ${DEPLOYMENTS.toLocaleString('en')} Deployments use, by reload. Start: from an empty process to the first reload beside ${SOURCES.toLocaleString('en')} Secrets and as many ConfigMaps of 8 KB. The floor is a program on Node that watches ConfigMaps and Deployments and sends the PATCHes, with no record, Event, metric or retry (\`bench/subjects/reload-bare.mjs\`).`,
  async run(_, { operator, scale }: Bench) {
    const count = Math.round(DEPLOYMENTS * scale);
    await using cluster = await startControlPlane({ auditLevel: 'None' });
    await installDefinitions(cluster);
    await createProbe(cluster);
    await sendAll(cluster, [namespacePost(NAMESPACE)]);
    await sendAll(cluster, [
      configMapPost(NAMESPACE, SHARED),
      ...Array.from({ length: count }, (_, index) =>
        deploymentPost(NAMESPACE, `app-${index}`, { configMaps: [SHARED] }),
      ),
    ]);
    const { kubeconfig } = await operatorAccount(cluster);
    const one = await Reloads.watch(cluster, PROBE.namespace);
    const many = await Reloads.watch(cluster, NAMESPACE);
    const untilAtWork = (): Promise<number> =>
      one.untilAtWork(PROBE.namespace, PROBE.configMap, PROBE.deployment);
    let running = new RunningOperator(operator, kubeconfig);
    try {
      await untilAtWork();
      await running.steady();
      const changes = async (): Promise<void> => void (await timedChanges(one, CHANGES));
      const rounds = async (): Promise<void> => {
        for (let round = 0; round < ROUNDS; round++) {
          const before = many.count;
          await many.change(NAMESPACE, SHARED);
          await many.counted(before, count, 600_000);
        }
      };
      const change = await profiled(running.pid, changes);
      const fanout = await profiled(running.pid, rounds);
      await running.stop();
      running = new RunningOperator({ start: BARE }, kubeconfig);
      await untilAtWork();
      const floor = {
        change: await processorTime(running.pid, changes),
        fanout: await processorTime(running.pid, rounds),
      };
      await running.stop();
      await createSources(cluster, Math.round(SOURCES * scale), BYTES);
      running = new RunningOperator(operator, kubeconfig);
      const start = await profiled(running.pid, async () => void (await untilAtWork()));
      return rows({ change, fanout, start, floor }, count);
    } finally {
      await running.stop();
      await Promise.all([one.close(), many.close()]);
    }
  },
};

/** Milliseconds of all threads of the process while `work` runs. */
async function processorTime(pid: number, work: () => Promise<void>): Promise<number> {
  const before = cpuMs(pid);
  await work();
  return cpuMs(pid) - before;
}

interface Found {
  readonly change: Profile;
  readonly fanout: Profile;
  readonly start: Profile;
  readonly floor: { readonly change: number; readonly fanout: number };
}

function rows({ change, fanout, start, floor }: Found, count: number): Row[] {
  const perChange = change.cpuMs / CHANGES;
  const seconds = fanout.cpuMs / ROUNDS / 1_000;
  const share = ({ shares }: Profile, work: (typeof WORK)[number]): string =>
    shares.size === 0 ? '?' : `${Math.round(100 * (shares.get(work) ?? 0))} %`;
  return [
    {
      what: 'one change to one reload',
      ours: ms(perChange),
      floor: ms(floor.change / CHANGES),
      others: 'best peer 2.7 ms',
      target: `at most ${ms(TARGETS.change)}`,
      met: perChange <= TARGETS.change,
    },
    {
      what: `${count.toLocaleString('en')} reloads at once`,
      ours: `${seconds.toFixed(2)} s`,
      floor: `${(floor.fanout / ROUNDS / 1_000).toFixed(2)} s`,
      others: 'best peer 1.1 s',
      target: `at most ${TARGETS.fanout} s`,
      met: seconds <= TARGETS.fanout,
    },
    { what: 'start to first reload', ours: `${(start.cpuMs / 1_000).toFixed(2)} s` },
    ...WORK.map((work) => ({
      what: `${work}: of one change, of the fan-out, of the start`,
      ours: [change, fanout, start].map((profile) => share(profile, work)).join(', '),
    })),
  ];
}
