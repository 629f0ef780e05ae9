import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane } from '../../test/control-plane/control-plane.ts';
import { startControlPlane } from '../../test/control-plane/start.ts';
import { configMapPost, createProbe, deploymentPost, namespacePost, PROBE } from '../bulk.ts';
import { type Post, sendAll } from '../fixtures.ts';
import { type Bench, type Measure, median, ms, type Row } from '../measure.ts';
import { WrittenNotes } from '../notes.ts';
import { installDefinitions, operatorAccount, RunningOperator } from '../operator.ts';
import { Reloads } from '../reloads.ts';

const WORKLOADS = 10_000;
const SOURCES = 100;
const NAMESPACE = 'large';
const READS = 5;
const READ_TARGET_MS = 300;
const PIECE_BYTES = 32 * 1024;
const STORM_SECONDS = 300;
const CHANGES_PER_SECOND = 20;
/** Limits of the bytes that the notebook writes to etcd: one burst, and a rate per second. */
const BURST_BYTES = 2 * 1024 * 1024;
const BYTES_PER_SECOND = 64 * 1024;

export const notebookSize: Measure = {
  name: 'notebook-size',
  title: `The notebook of ${WORKLOADS.toLocaleString('en')} workloads in one namespace`,
  how: `Deployments that ask for reloads, with a batch window of 5 s, over ${SOURCES} ConfigMaps. Every version of the notebook's ConfigMaps is counted on a bare watch. Reading: the product's own list of all notes, each of them parsed, median of ${READS}; the operator does that beside its first lists. The storm: ${CHANGES_PER_SECOND} changes of ConfigMaps a second for ${STORM_SECONDS} s, each of which concerns ${WORKLOADS / SOURCES} workloads.`,
  async run(_, { operator, scale }: Bench) {
    const workloads = Math.round(WORKLOADS * scale);
    await using cluster = await startControlPlane({ auditLevel: 'None' });
    await installDefinitions(cluster);
    const account = await operatorAccount(cluster);
    await createProbe(cluster);
    await createWorkloads(cluster, workloads);
    const reloads = await Reloads.watch(cluster, PROBE.namespace);
    const notes = await WrittenNotes.watch(cluster);
    const running = new RunningOperator(operator, account.kubeconfig);
    try {
      await reloads.untilAtWork(PROBE.namespace, PROBE.configMap, PROBE.deployment, 600_000);
      await notes.noted(workloads, 600_000);
      await running.steady();
      const pieces = await notes.pieces();
      const found = [pieceRow(pieces, notes.largest), await singleRow(reloads, notes)];
      const read: number[] = [];
      const refs = Array.from({ length: workloads }, (_each, index) => refOf(index));
      for (let run = 0; run < READS; run++) {
        const all = await notes.read(refs);
        if (all.found < workloads) throw new Error(`${all.found} of ${workloads} notes were read`);
        read.push(all.ms);
      }
      return [...found, readRow(median(read)), await stormRow(reloads, notes, STORM_SECONDS * scale)];
    } finally {
      await running.stop();
      await Promise.all([reloads.close(), notes.close()]);
    }
  },
};

async function createWorkloads(cluster: ControlPlane, count: number): Promise<void> {
  await sendAll(cluster, [namespacePost(NAMESPACE)]);
  await sendAll(
    cluster,
    Array.from({ length: SOURCES }, (_, index) => configMapPost(NAMESPACE, `source-${index}`)),
  );
  await sendAll(
    cluster,
    Array.from({ length: count }, (_, index) => batched(index)),
  );
}

/** A batched reload is first recorded as a note: the most expensive change for the notebook. */
function batched(index: number): Post {
  const { path, body } = deploymentPost(NAMESPACE, `app-${index}`, {
    configMaps: [`source-${index % SOURCES}`],
  });
  const { metadata, ...rest } = body as { metadata: { annotations: Record<string, string> } };
  const annotations = { ...metadata.annotations, 'reloader.stakater.com/batch-window': '5s' };
  return { path, body: { ...rest, metadata: { ...metadata, annotations } } };
}

const refOf = (index: number) =>
  ({ kind: 'Deployment', namespace: NAMESPACE, name: `app-${index}` }) as const;
const kb = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;

function pieceRow(pieces: readonly number[], largest: number): Row {
  const most = Math.max(...pieces);
  return {
    what: 'the largest piece that was written',
    ours: `${kb(largest)}, of ${pieces.length} pieces with at most ${most} workloads`,
    target: `at most ${kb(PIECE_BYTES)}`,
    met: largest <= PIECE_BYTES && pieces.length > 1,
  };
}

async function singleRow(reloads: Reloads, notes: WrittenNotes): Promise<Row> {
  const { writes, bytes } = notes;
  await reloads.timed(PROBE.namespace, PROBE.configMap, PROBE.deployment);
  await delay(3_000);
  const cost = notes.bytes - bytes;
  return {
    what: 'one reload of one workload writes to the notebook',
    ours: `${notes.writes - writes} times, ${kb(cost)}`,
    target: `at most once, ${kb(PIECE_BYTES)}`,
    met: notes.writes - writes <= 1 && cost <= PIECE_BYTES,
  };
}

function readRow(read: number): Row {
  const target = `at most ${ms(READ_TARGET_MS)}`;
  return { what: 'reading all notes', ours: ms(read), target, met: read <= READ_TARGET_MS };
}

async function stormRow(reloads: Reloads, notes: WrittenNotes, seconds: number): Promise<Row> {
  const { writes, bytes } = notes;
  const began = performance.now();
  for (let change = 0; performance.now() - began < seconds * 1000; change++) {
    await reloads.change(NAMESPACE, `source-${change % SOURCES}`);
    const due = began + ((change + 1) * 1000) / CHANGES_PER_SECOND;
    await delay(Math.max(0, due - performance.now()));
  }
  const took = (performance.now() - began) / 1000;
  const limit = BURST_BYTES + BYTES_PER_SECOND * took;
  const cost = notes.bytes - bytes;
  return {
    what: `a storm of ${Math.round(took)} s writes to the notebook`,
    ours: `${kb(cost)} in ${notes.writes - writes} writes, ${kb(cost / took)} a second`,
    target: `at most ${kb(limit)}`,
    met: cost <= limit,
  };
}
