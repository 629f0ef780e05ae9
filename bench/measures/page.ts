/** The dashboard in a real browser, beside a large cluster: how long a user waits, and the cost for the operator. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type Browser, chromium, type Page } from 'playwright-core';
import { freePort } from '../../packages/demo/src/operator-service.ts';
import { startControlPlane } from '../../test/control-plane/start.ts';
import { chromiumPath } from '../../test/dashboard/chromium.ts';
import { createProbe, fill, PROBE } from '../bulk.ts';
import { type Bench, type Measure, mb, median, ms, quantile, type Row } from '../measure.ts';
import { installDefinitions, operatorAccount, RunningOperator } from '../operator.ts';
import { openPages } from '../page-readers.ts';
import { Reloads } from '../reloads.ts';

const WORKLOADS = 10_000;
const OPENINGS = 5;
const CHANGES = 40;
const PAGES = 10;
/** The process returns freed pages to the system in steps, when it has been idle for a while. */
const SETTLE_MS = 12_000;
/** The operator drops the data that it keeps for dashboard clients this long after the last one has left. */
const KEPT_MS = 30_000;
/** One request of each kind, with its longest answer. */
const QUESTIONS = [
  'overview',
  'status',
  'workloads?limit=1000',
  'workloads?limit=100&offset=9000',
  'workloads?q=no-such-name',
  'sources?limit=1000',
  'timeline?limit=10000',
  'history',
  'me',
  'openapi.json',
  'workloads/Deployment/bulk-0/app-0',
  'sources/ConfigMap/bulk-0/source-0',
  'what-if?kind=ConfigMap&ns=bulk-0&name=source-0',
];
const SPAN_MS = 10_100;
const MOST = {
  assetsKB: 30,
  firstRowsMs: 500,
  rowMs: 500,
  nodes: 1_500,
  heapMB: 20,
  blockedMs: 20,
  closedMB: 5,
  streamMB: 1,
};

export const page: Measure = {
  name: 'page-view',
  title: `The page beside ${WORKLOADS.toLocaleString('en')} workloads`,
  how: `In Chromium, over loopback. First rows: from opening the address to a row of the table, median of ${OPENINGS}. Change to row: from sending a change of a ConfigMap to the next state of its workload in the table, ${CHANGES} changes. Elements and heap are those of the table of all workloads, after a garbage collection. Blocked: the longest delay of the operator's event loop while all workloads are read, page by page, and ${QUESTIONS.length} other questions are asked, ${OPENINGS} times. Memory is the operator's resident memory: before the first page, ${KEPT_MS / 1_000} s after the last one was closed, and with ${PAGES} open.`,
  async run(_, { operator, scale }: Bench) {
    await using cluster = await startControlPlane({ auditLevel: 'None' });
    await installDefinitions(cluster);
    await createProbe(cluster);
    const workloads = Math.round(WORKLOADS * scale);
    await fill(cluster, { sources: 0, workloads: 0 }, { sources: workloads, workloads });
    const { kubeconfig } = await operatorAccount(cluster);
    const reloads = await Reloads.watch(cluster, PROBE.namespace);
    const port = await freePort();
    const running = new RunningOperator(operator, kubeconfig, process.execPath, port);
    const browser = await chromium.launch({
      executablePath: chromiumPath(),
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
    try {
      await reloads.untilAtWork(PROBE.namespace, PROBE.configMap, PROBE.deployment, 600_000);
      const measured = new Measured(`http://127.0.0.1:${port}`, browser, reloads, running);
      return await measured.rows();
    } finally {
      await browser.close();
      await running.stop();
      await reloads.close();
    }
  },
};

class Measured {
  readonly #address: string;
  readonly #browser: Browser;
  readonly #reloads: Reloads;
  readonly #operator: RunningOperator;

  constructor(address: string, browser: Browser, reloads: Reloads, operator: RunningOperator) {
    this.#address = address;
    this.#browser = browser;
    this.#reloads = reloads;
    this.#operator = operator;
  }

  async rows(): Promise<Row[]> {
    const before = await this.#memory();
    const openings: number[] = [];
    for (let run = 0; run < OPENINGS; run++) openings.push(await this.#opening());
    const { nodes, heapMB, rowMs } = await this.#table();
    const blockedMs = await this.#blocked();
    await new Promise((resolve) => setTimeout(resolve, KEPT_MS));
    const closed = await this.#memory();
    const readers = await openPages(this.#browser, this.#address, PAGES);
    const open = await this.#memory();
    await readers.close();
    const assetsKB = assetBytes() / 1_000;
    return [
      row('script and style, compressed', `${assetsKB.toFixed(1)} KB`, assetsKB, MOST.assetsKB, ' KB'),
      row('first rows', ms(median(openings)), median(openings), MOST.firstRowsMs, ' ms'),
      row('change to row, 95 of 100 within', ms(rowMs), rowMs, MOST.rowMs, ' ms'),
      row('elements of the table', String(nodes), nodes, MOST.nodes, ''),
      row('heap of the page', mb(heapMB), heapMB, MOST.heapMB, ' MB'),
      row('longest delay of the event loop by any question', ms(blockedMs), blockedMs, MOST.blockedMs, ' ms'),
      row(
        'memory of the operator after pages were closed',
        `${mb(before)}, then ${mb(closed)}`,
        closed - before,
        MOST.closedMB,
        ' MB more',
      ),
      row(
        `memory of the operator with ${PAGES} pages open`,
        `${mb(open)}, ${mb(before)} before the first`,
        (open - before) / PAGES,
        MOST.streamMB,
        ' MB more for each',
      ),
    ];
  }

  async #open(): Promise<Page> {
    const tab = await this.#browser.newPage();
    await tab.goto(`${this.#address}/ui/#/w`);
    await tab.waitForSelector('[role=row] .object');
    return tab;
  }

  async #opening(): Promise<number> {
    const context = await this.#browser.newContext();
    const tab = await context.newPage();
    const began = performance.now();
    await tab.goto(`${this.#address}/ui/#/w`, { waitUntil: 'commit' });
    await tab.waitForSelector('[role=row] .object');
    const took = performance.now() - began;
    await context.close();
    return took;
  }

  async #table(): Promise<{ nodes: number; heapMB: number; rowMs: number }> {
    const tab = await this.#open();
    const nodes = await tab.evaluate<number>("document.getElementsByTagName('*').length");
    const devtools = await tab.context().newCDPSession(tab);
    await devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await devtools.send('Runtime.getHeapUsage');
    await tab.goto(`${this.#address}/ui/#/w?q=${PROBE.deployment}`);
    await untilTrue(tab, "document.querySelectorAll('[role=row] .object').length === 1");
    // The page records when the workload's row changes; both use the clock of this machine.
    await tab.evaluate(`
      globalThis.changedAt = 0;
      new MutationObserver(() => { globalThis.changedAt ||= Date.now(); })
        .observe(document.querySelector('main') ?? document.body, { subtree: true, childList: true, characterData: true });
    `);
    const took: number[] = [];
    for (let change = 0; change < CHANGES; change++) {
      await tab.evaluate('globalThis.changedAt = 0');
      const began = Date.now();
      await this.#reloads.timed(PROBE.namespace, PROBE.configMap, PROBE.deployment);
      took.push((await untilTrue(tab, 'globalThis.changedAt')) - began);
    }
    await tab.close();
    return { nodes, heapMB: usedSize / 1_000_000, rowMs: quantile(took, 0.95) };
  }

  async #blocked(): Promise<number> {
    // The gauge covers the last one or two spans of ten seconds, and a scrape begins a span: two scrapes clear it.
    for (let span = 0; span < 2; span++) {
      await this.#delay();
      await new Promise((resolve) => setTimeout(resolve, SPAN_MS));
    }
    await this.#delay();
    for (let run = 0; run < OPENINGS; run++) {
      await this.#readAll();
      for (const question of QUESTIONS) await this.#ask(question);
    }
    return this.#delay();
  }

  async #readAll(): Promise<void> {
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page = await this.#ask(`workloads?limit=1000${next && `&continue=${next}`}`);
      next = (JSON.parse(page) as { readonly continue?: string }).continue;
    }
  }

  async #ask(question: string): Promise<string> {
    return (await fetch(`${this.#address}/api/v1/${question}`)).text();
  }

  async #delay(): Promise<number> {
    const text = await (await fetch(`${this.#address}/metrics`)).text();
    return Number(/^nodejs_eventloop_lag_seconds ([\d.e-]+)$/m.exec(text)?.[1]) * 1_000;
  }

  async #memory(): Promise<number> {
    await this.#operator.steady();
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    return this.#operator.usage().residentMB;
  }
}

/** Polls by hand: the page's Content-Security-Policy forbids Playwright's way to wait for an expression. */
async function untilTrue(tab: Page, expression: string): Promise<number> {
  for (;;) {
    const value = await tab.evaluate<number>(expression);
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function assetBytes(): number {
  const folder = fileURLToPath(new URL('../../packages/operator/dist/ui/', import.meta.url));
  const sizes = readdirSync(folder).map(
    (name) => gzipSync(readFileSync(`${folder}${name}`), { level: 9 }).length,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function row(what: string, ours: string, value: number, most: number, unit: string): Row {
  return { what, ours, target: `at most ${most}${unit}`, met: value <= most };
}
