/** Permissions of our workflows: only those that they need, and only actions that nobody else can change. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const folder = fileURLToPath(new URL('../../.github/workflows/', import.meta.url));

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: object;
  readonly jobs: Readonly<
    Record<string, { readonly permissions?: Record<string, string>; readonly steps?: readonly Step[] }>
  >;
}

describe.each(readdirSync(folder))('%s', (name) => {
  const text = readFileSync(`${folder}${name}`, 'utf8');
  const { on, permissions, jobs } = parse(text) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);

  test('uses actions by the digest of a commit, with their version beside it', () => {
    const lines = text.split('\n').filter((line) => line.includes('uses:'));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/uses: (\.\/\S+|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
  });

  test('gives no right to the whole workflow, and to each job what it names', () => {
    expect(permissions).toEqual({});
    for (const [job, { permissions: own }] of Object.entries(jobs)) expect(own, job).toBeDefined();
  });

  test('has no right to write on a pull request', () => {
    expect(Object.keys(on)).not.toContain('pull_request_target');
    if (!('pull_request' in on)) return;
    for (const { permissions: own } of Object.values(jobs)) expect(own).toEqual({ contents: 'read' });
    expect(text).not.toContain('secrets.');
  });

  test('leaves no token in the checkout', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    for (const checkout of checkouts) expect(checkout.with).toMatchObject({ 'persist-credentials': false });
  });

  test('puts no text of others into a script', () => {
    for (const { run = '' } of steps) expect(run).not.toMatch(/\$\{\{\s*(github\.(event|head_ref)|inputs)/);
  });

  test('hands secrets on by name', () => {
    expect(text).not.toContain('secrets: inherit');
  });
});

test('everything that is pinned is kept up to date', () => {
  const file = fileURLToPath(new URL('../../.github/dependabot.yml', import.meta.url));
  const { updates } = parse(readFileSync(file, 'utf8')) as { updates: { 'package-ecosystem': string }[] };
  expect(updates.map((each) => each['package-ecosystem']).sort()).toEqual([
    'docker',
    'github-actions',
    'gomod',
    'npm',
  ]);
});

test('the release goes where the coordinates say, and nowhere else', () => {
  const publish = readFileSync(`${folder}publish.yaml`, 'utf8');
  expect(publish).toContain('require("./packages/operator/package.json").config.image');
  expect(publish).toContain('require("./packages/operator/package.json").config.charts');
  expect(publish).not.toMatch(/ghcr\.io|vars\./);
});
