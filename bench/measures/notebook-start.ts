import { startControlPlane } from '../../test/control-plane/start.ts';
import { createProbe, deploymentPost, PROBE } from '../bulk.ts';
import { createSources, sendAll } from '../fixtures.ts';
import { type Bench, type Measure, mb, median, ms, type Row, times } from '../measure.ts';
import { WrittenNotes } from '../notes.ts';
import { installDefinitions, operatorAccount, RunningOperator, type Usage } from '../operator.ts';
import { Reloads } from '../reloads.ts';

const SOURCES = 5_000;
const BYTES = 8_192;
const DEPLOYMENTS = 1_000;
const ROUNDS = 3;
/** The process returns freed pages to the system a little later. */
const SETTLE_MS = 5_000;
/** Tolerance of "equal": two runs on one machine differ by up to this factor. */
const EQUAL = 1.15;

export const notebookStart: Measure = {
  name: 'notebook-start',
  title: 'A first start against a restart',
  how: `${SOURCES.toLocaleString('en')} Secrets and as many ConfigMaps of 8 KB, ${DEPLOYMENTS.toLocaleString('en')} Deployments that ask for reloads. By turns, medians of ${ROUNDS}: a first start, before which the notebook and the key of digests are deleted, and a restart, which finds them. From starting the process to a first new template on a watch, while a ConfigMap changes every 50 ms; memory ${SETTLE_MS / 1000} s later, when it writes nothing more.`,
  async run(_, { operator, scale }: Bench) {
    await using cluster = await startControlPlane({ auditLevel: 'None' });
    await installDefinitions(cluster);
    const { kubeconfig } = await operatorAccount(cluster);
    const sources = Math.round(SOURCES * scale);
    const deployments = Math.round(DEPLOYMENTS * scale);
    await createProbe(cluster);
    await createSources(cluster, sources, BYTES);
    await sendAll(
      cluster,
      Array.from({ length: deployments }, (_each, index) =>
        deploymentPost(`bench-${index % 20}`, `app-${index}`, {
          // Sources are spread over 20 namespaces by their number.
          configMaps: [`source-${index % sources}`],
          secrets: [`source-${(index + 20) % sources}`],
        }),
      ),
    );
    const reloads = await Reloads.watch(cluster, PROBE.namespace);
    const notes = await WrittenNotes.watch(cluster);
    const once = async (): Promise<Found> => {
      const running = new RunningOperator(operator, kubeconfig);
      try {
        const at = await reloads.untilAtWork(PROBE.namespace, PROBE.configMap, PROBE.deployment);
        await notes.noted(deployments, 60_000);
        await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
        await running.steady();
        return { ...running.usage(), startMs: at - running.began };
      } finally {
        await running.stop();
      }
    };
    try {
      const first: Found[] = [];
      const again: Found[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        if (round > 0) await notes.forget();
        first.push(await once());
        again.push(await once());
      }
      return [
        row('start to first reload', ms, first, again, ({ startMs }) => startMs),
        row('resident memory', mb, first, again, ({ residentMB }) => residentMB),
        row('peak of memory', mb, first, again, ({ peakMB }) => peakMB),
      ];
    } finally {
      await Promise.all([reloads.close(), notes.close()]);
    }
  },
};

interface Found extends Usage {
  readonly startMs: number;
}

function row(
  what: string,
  unit: (value: number) => string,
  first: readonly Found[],
  again: readonly Found[],
  value: (found: Found) => number,
): Row {
  const [ours, floor] = [first, again].map((found) => median(found.map(value))) as [number, number];
  return {
    what: `${what}, first start`,
    ours: `${unit(ours)}, ${times(ours / floor)} that of a restart`,
    floor: unit(floor),
    target: `at most ${EQUAL} times`,
    met: ours <= EQUAL * floor,
  };
}
