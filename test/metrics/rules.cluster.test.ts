/** The alerting rules, checked by promtool. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { promtool, RULES } from './prometheus.ts';

const TESTS = fileURLToPath(new URL('rules.test.yaml', import.meta.url));

test('promtool finds no fault in the rules', async () => {
  expect(await promtool('check', 'rules', '--lint-fatal', RULES)).toMatchObject({ status: 0 });
});

test('each alert fires when it should, and resolves', async () => {
  const { status, stdout, stderr } = await promtool('test', 'rules', TESTS);
  expect(`${stdout}${stderr}`).toContain('SUCCESS');
  expect(status).toBe(0);
});

test('no alert is left out, and each is seen quiet, firing and quiet again', () => {
  interface Checks {
    readonly alert_rule_test: readonly {
      readonly alertname: string;
      readonly exp_alerts: readonly object[];
    }[];
  }
  const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: { alert: string }[] }[] };
  const { tests } = parse(readFileSync(TESTS, 'utf8')) as { tests: Checks[] };
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  const seen = tests.map(({ alert_rule_test: checks }) => ({
    alert: checks[0]?.alertname ?? '',
    counts: checks.map(({ exp_alerts: expected }) => expected.length),
  }));
  expect([...new Set(seen.map(({ alert }) => alert))].sort()).toEqual([...alerts].sort());
  for (const { alert, counts } of seen) expect(counts, alert).toEqual([0, 1, 0]);
});
