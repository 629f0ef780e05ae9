/**
 * The dashboard as Grafana would read it, and the page that every rule links to. Without Grafana: its JSON is checked.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { COORDINATES } from '../../config/coordinates.mjs';
import { formatRoute, parseRoute } from '../../packages/dashboard/src/data/route.ts';

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
  readonly links?: readonly { readonly url: string }[];
  readonly fieldConfig: {
    readonly defaults: { readonly unit?: string };
    readonly overrides: readonly object[];
  };
}

const dashboard = JSON.parse(read('dashboards/reloader.json')) as {
  readonly panels: readonly Panel[];
  readonly links: readonly { readonly url: string }[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
};
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const all = JSON.stringify(dashboard.panels);

/** Every replica reports these, the standby as well: their sum would count everything twice. */
const BY_EVERY_REPLICA = [
  'reloader_sources',
  'reloader_workloads',
  'reloader_deferred',
  'reloader_workqueue_depth',
  'reloader_alerts_queue',
  'reloader_events_received_total',
  'reloader_skipped_total',
];

describe.each(panels.map((panel) => [panel.title, panel] as const))('%s', (_title, panel) => {
  const expressions = (panel.targets ?? []).map(({ expr }) => expr);

  test('has a unit, one for all of its series', () => {
    expect(panel.fieldConfig.defaults.unit).toBeTruthy();
    expect(panel.fieldConfig.overrides).toEqual([]);
    const dimensions = new Set(
      expressions.map((expr) => /_(seconds|bytes|timestamp)/.exec(expr)?.[1] ?? 'count'),
    );
    if (panel.fieldConfig.defaults.unit !== 'percentunit') expect([...dimensions]).toHaveLength(1);
  });

  test('counts nothing twice where a second replica stands by', () => {
    for (const expr of expressions)
      for (const name of BY_EVERY_REPLICA)
        expect(expr).not.toMatch(
          new RegExp(`sum(?: by \\([^)]*\\) )?\\((?:(?:rate|increase)\\()?${name}\\{`),
        );
  });

  test('leads to the page that explains it', () => {
    const [link] = panel.links ?? [];
    expect(link && pageOf(link.url)).toContain('\n');
  });
});

test('the namespace and the kind of workload can be chosen, and make a difference', () => {
  const names = dashboard.templating.list.map(({ name }) => name);
  expect(names).toEqual(['datasource', 'job', 'namespace', 'kind', 'page']);
  for (const name of names.filter((each) => each !== 'page'))
    expect(all).toContain(name === 'datasource' ? '$' + '{datasource}' : `=~\\"$${name}\\"`);
});

test('no two panels lie on each other, and none has the number of another', () => {
  const { panels: every } = dashboard;
  expect(new Set(every.map(({ id }) => id)).size).toBe(every.length);
  for (const [index, { gridPos: a, title }] of every.entries()) {
    for (const { gridPos: b, title: other } of every.slice(index + 1)) {
      const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
      expect(apart, `${title} and ${other}`).toBe(true);
    }
  }
});

const PAGE = '$' + '{page}';

test('the dashboard leads to the page, to the documentation and to what to do in an incident', () => {
  const [page, ...pages] = dashboard.links;
  expect(page?.url).toBe(`${PAGE}#/now`);
  for (const { url } of pages) expect(pageOf(url)).toContain('\n');
});

test('what waits, what was reloaded and what is known leads to its view of the page', () => {
  const links = panels.flatMap(({ links: all = [] }) => all.map(({ url }) => url));
  const views = links.filter((url) => url.startsWith(PAGE)).map((url) => url.slice(PAGE.length));
  expect(new Set(views.map((hash) => parseRoute(hash).view))).toEqual(
    new Set(['now', 'timeline', 'workloads', 'sources']),
  );
  for (const hash of views) expect(formatRoute(parseRoute(hash))).toBe(hash);
});

const { groups } = parse(read('charts/reloader/files/rules.yaml')) as {
  groups: { rules: { alert: string; annotations: Record<string, string> }[] }[];
};

test.each(
  groups.flatMap(({ rules }) => rules).map(({ alert, annotations }) => [alert, annotations] as const),
)('the runbook of %s is its section', (alert, annotations) => {
  expect(annotations.runbook_url).toBe(`${COORDINATES.site}/operations#${alert.toLowerCase()}`);
  expect(pageOf(annotations.runbook_url ?? '')).toContain(`### ${alert}\n`);
});

/** The text of the page at an address of the site; it must have a heading for the anchor. */
function pageOf(url: string): string {
  expect(url.startsWith(COORDINATES.site), url).toBe(true);
  const [path = '', anchor] = url.slice(COORDINATES.site.length).replace(/^\//, '').split('#');
  const text = read(`docs/${path === '' ? 'README' : path}.md`);
  const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
  if (anchor !== undefined) expect(anchors).toContain(anchor);
  return text;
}
