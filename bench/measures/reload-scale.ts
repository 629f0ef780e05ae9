import { startControlPlane } from '../../test/control-plane/start.ts';
import { createProbe, fill, PROBE, type Size } from '../bulk.ts';
import { type Bench, type Measure, median, ms, type Row, times } from '../measure.ts';
import { installDefinitions, operatorAccount, RunningOperator } from '../operator.ts';
import { Reloads, type TimedChange } from '../reloads.ts';
import { timedChanges } from './reload-latency.ts';

const SMALL: Size = { sources: 5_000, workloads: 1_000 };
const LARGE: Size = { sources: 50_000, workloads: 10_000 };
const CHANGES = 100;
const TARGET = 1.3;

export const reloadScale: Measure = {
  name: 'reload-scale',
  title: 'The same change in a large cluster',
  how: `${CHANGES} changes of a ConfigMap that one Deployment uses, as above, beside ${told(SMALL)} and then beside ${told(LARGE)}. The operator is started anew for each, and given time to record all workloads. The floor is the change's own way back on a bare watch, which grows with the cluster, too.`,
  async run(_, { operator, scale }: Bench) {
    const small = scaled(SMALL, scale);
    const large = scaled(LARGE, scale);
    await using cluster = await startControlPlane({ auditLevel: 'None' });
    await installDefinitions(cluster);
    await createProbe(cluster);
    const { kubeconfig } = await operatorAccount(cluster);
    const reloads = await Reloads.watch(cluster, PROBE.namespace);
    const measure = async (from: Size, to: Size): Promise<{ changes: TimedChange[]; residentMB: number }> => {
      await fill(cluster, from, to);
      const running = new RunningOperator(operator, kubeconfig);
      try {
        await reloads.untilAtWork(PROBE.namespace, PROBE.configMap, PROBE.deployment, 600_000);
        await running.steady();
        const changes = await timedChanges(reloads, CHANGES);
        return { changes, residentMB: running.usage().residentMB };
      } finally {
        await running.stop();
      }
    };
    try {
      const few = await measure({ sources: 0, workloads: 0 }, small);
      const many = await measure(small, large);
      return rows(few, many, small, large);
    } finally {
      await reloads.close();
    }
  },
};

interface Found {
  readonly changes: readonly TimedChange[];
  readonly residentMB: number;
}

function rows(few: Found, many: Found, small: Size, large: Size): Row[] {
  const reloaded = ({ changes }: Found): number => median(changes.map((change) => change.reloaded));
  const seen = ({ changes }: Found): number => median(changes.map((change) => change.seen));
  const memory = ({ residentMB }: Found): string => `${Math.round(residentMB)} MB resident`;
  const ratio = reloaded(many) / reloaded(few);
  return [
    {
      what: `half of the reloads beside ${told(small)} within`,
      ours: `${ms(reloaded(few))} (${memory(few)})`,
      floor: ms(seen(few)),
    },
    {
      what: `beside ${told(large)}`,
      ours: `${ms(reloaded(many))}, ${times(ratio)} that (${memory(many)})`,
      floor: ms(seen(many)),
      others: 'Stakater: every LIST grows',
      target: `at most ${TARGET} times`,
      met: ratio <= TARGET,
    },
  ];
}

const scaled = ({ sources, workloads }: Size, scale: number): Size => ({
  sources: Math.round(sources * scale),
  workloads: Math.round(workloads * scale),
});

function told({ sources, workloads }: Size): string {
  return `${sources.toLocaleString('en')} sources and ${workloads.toLocaleString('en')} workloads`;
}
