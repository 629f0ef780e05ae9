/** The cost of open pages for reloads: the same changes with no reader, with streams alone, and with pages. */
import { type Browser, chromium } from 'playwright-core';
import { freePort } from '../../packages/demo/src/operator-service.ts';
import type { ControlPlane } from '../../test/control-plane/control-plane.ts';
import { startControlPlane } from '../../test/control-plane/start.ts';
import { chromiumPath } from '../../test/dashboard/chromium.ts';
import { configMapPost, createProbe, deploymentPost, fill, namespacePost, PROBE } from '../bulk.ts';
import { sendAll } from '../fixtures.ts';
import { type Bench, type Measure, median, ms, type Row, times } from '../measure.ts';
import { installDefinitions, operatorAccount, RunningOperator } from '../operator.ts';
import { openPages, openStreams, type Readers } from '../page-readers.ts';
import { cpuMs } from '../profile.ts';
import { Reloads } from '../reloads.ts';
import { timedChanges } from './reload-latency.ts';

const WORKLOADS = 10_000;
/** Of the workloads: those that use the one ConfigMap. */
const TOGETHER = 1_000;
const FANOUT = { namespace: 'fanout', configMap: 'shared' } as const;
const CHANGES = 120;
const READERS = 10;
/** Every kind of readers in every round, so that other work of the machine meets all alike. */
const ROUNDS = 9;
/** A batch that is due has been sent by then. */
const LAST_BATCH_MS = 1_500;
const MOST_TIMES = 1.1;
const PATIENCE_MS = 600_000;

const KINDS = ['alone', 'streams', 'pages'] as const;
type Kind = (typeof KINDS)[number];

export const pageReloads: Measure = {
  name: 'page-reloads',
  title: `Reloads beside ${WORKLOADS.toLocaleString('en')} workloads while pages are open`,
  how: `With ${READERS} streams that a bare program reads, with ${READERS} pages in Chromium that show the table, and with neither, by turns, ${ROUNDS} rounds: ${CHANGES} changes that one Deployment uses, as in the measurement of one change, and one change that ${TOGETHER.toLocaleString('en')} Deployments use; medians. In a cluster, the browsers run on other machines. Here they share the cores with the operator, the API server and etcd, so the rows with pages also contain what Chromium takes from those; its processor time and the operator's are for each reload.`,
  async run(_, { operator, scale }: Bench) {
    await using cluster = await startControlPlane({ auditLevel: 'None' });
    await installDefinitions(cluster);
    await createProbe(cluster);
    const together = Math.round(TOGETHER * scale);
    const others = Math.round(WORKLOADS * scale) - together;
    await fill(cluster, { sources: 0, workloads: 0 }, { sources: others, workloads: others });
    await createTogether(cluster, together);
    const port = await freePort();
    const { kubeconfig } = await operatorAccount(cluster);
    const running = new RunningOperator(operator, kubeconfig, process.execPath, port);
    const browser = await chromium.launch({
      executablePath: chromiumPath(),
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
    const one = await Reloads.watch(cluster, PROBE.namespace);
    const all = await Reloads.watch(cluster, FANOUT.namespace);
    try {
      await one.untilAtWork(PROBE.namespace, PROBE.configMap, PROBE.deployment, PATIENCE_MS);
      const measured = new Measured({ running, browser, one, all, together, port });
      return await measured.rows();
    } finally {
      await browser.close();
      await running.stop();
      await Promise.all([one.close(), all.close()]);
    }
  },
};

async function createTogether(cluster: ControlPlane, count: number): Promise<void> {
  const { namespace, configMap } = FANOUT;
  await sendAll(cluster, [namespacePost(namespace)]);
  await sendAll(cluster, [
    configMapPost(namespace, configMap),
    ...Array.from({ length: count }, (_, index) =>
      deploymentPost(namespace, `app-${index}`, { configMaps: [configMap] }),
    ),
  ]);
}

interface MeasuredOptions {
  readonly running: RunningOperator;
  readonly browser: Browser;
  readonly one: Reloads;
  readonly all: Reloads;
  readonly together: number;
  readonly port: number;
}

/** One value for each round. */
class Taken {
  readonly took: number[] = [];
  readonly operator: number[] = [];
  readonly readers: number[] = [];
}

type Work = 'one' | 'all';

class Measured {
  readonly #options: MeasuredOptions;
  readonly #taken: Readonly<Record<Work, Readonly<Record<Kind, Taken>>>> = {
    one: { alone: new Taken(), streams: new Taken(), pages: new Taken() },
    all: { alone: new Taken(), streams: new Taken(), pages: new Taken() },
  };

  constructor(options: MeasuredOptions) {
    this.#options = options;
  }

  async rows(): Promise<Row[]> {
    // Code that has run a few times is compiled: the first round is not measured.
    await timedChanges(this.#options.one, CHANGES);
    for (let round = 0; round < ROUNDS; round++) {
      // Each comes first, second and last equally often.
      const first = round % KINDS.length;
      for (const kind of [...KINDS.slice(first), ...KINDS.slice(0, first)]) await this.#round(kind);
    }
    const together = this.#options.together.toLocaleString('en');
    return [
      this.#row('one reload', 'one', 'streams'),
      this.#row(`${together} reloads at once`, 'all', 'streams'),
      this.#row('one reload', 'one', 'pages'),
      this.#row(`${together} reloads at once`, 'all', 'pages'),
    ];
  }

  async #round(kind: Kind): Promise<void> {
    const { running, one } = this.#options;
    const readers = await this.#open(kind);
    await running.steady();
    await this.#measure(this.#taken.one[kind], CHANGES, readers, async () =>
      median((await timedChanges(one, CHANGES)).map(({ reloaded }) => reloaded)),
    );
    const { all, together } = this.#options;
    await this.#measure(this.#taken.all[kind], together, readers, async () => {
      const before = all.count;
      const { began } = await all.change(FANOUT.namespace, FANOUT.configMap);
      return (await all.counted(before, together, PATIENCE_MS)) - began;
    });
    await all.quiet();
    await readers?.close();
  }

  async #open(kind: Kind): Promise<Readers | undefined> {
    const { browser, port } = this.#options;
    const address = `http://127.0.0.1:${port}`;
    if (kind === 'alone') return undefined;
    return kind === 'streams' ? openStreams(address, READERS) : openPages(browser, address, READERS);
  }

  async #measure(
    { took, operator, readers }: Taken,
    reloads: number,
    open: Readers | undefined,
    work: () => Promise<number>,
  ): Promise<void> {
    const { pid } = this.#options.running;
    const [own, theirs] = [cpuMs(pid), (await open?.cpuMs()) ?? 0];
    took.push(await work());
    await new Promise((resolve) => setTimeout(resolve, LAST_BATCH_MS));
    operator.push((cpuMs(pid) - own) / reloads);
    readers.push((((await open?.cpuMs()) ?? 0) - theirs) / reloads);
  }

  #row(what: string, work: Work, kind: 'streams' | 'pages'): Row {
    const [open, alone] = [this.#taken[work][kind], this.#taken[work].alone];
    const ratio = median(open.took) / median(alone.took);
    const browser = kind === 'pages' ? `, Chromium ${ms(median(open.readers))}` : '';
    return {
      what: `${what}, with ${READERS} ${kind}`,
      ours: `${ms(median(open.took))}, ${times(ratio)} without; processor time: operator ${ms(median(open.operator))}, ${ms(median(alone.operator))} without${browser}`,
      target: `at most ${MOST_TIMES} times`,
      met: ratio <= MOST_TIMES,
    };
  }
}
