/** docs/metrics.md names every metric. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createRegistry, systemClock } from '@reloader/runtime';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createAlertMetrics } from '../../packages/operator/src/alerts/delivery/metrics.ts';
import { HeldBack } from '../../packages/operator/src/reloader/report/held.ts';
import { createReloadMetrics } from '../../packages/operator/src/reloader/report/metrics.ts';

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const page = read('docs/metrics.md');

test('every series of reloads and alerts is described', () => {
  const metrics = createRegistry();
  const inventory = () => ({ sources: {}, workloads: {} });
  createReloadMetrics({
    metrics,
    now: () => systemClock.now(),
    byNamespace: true,
    inventory,
    openRollouts: () => [],
  });
  new HeldBack(metrics, () => 0);
  createAlertMetrics(metrics, () => 0);
  const text = metrics.render();
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(20);
  const described = (name: string): boolean =>
    page.includes(`\`${name}\``) ||
    page.includes(`\`…${name.slice(name.lastIndexOf('_', name.lastIndexOf('_') - 1))}\``);
  expect(names.filter((name) => !described(name))).toEqual([]);
});

test('every alert is described, and no other', () => {
  const { groups } = parse(read('charts/reloader/files/rules.yaml')) as {
    groups: { rules: { alert: string }[] }[];
  };
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  const described = [...page.matchAll(/^\| `(Reloader\w+)`/gm)].map(([, name]) => name);
  expect(described).toEqual(alerts);
});
