/**
 * The longest run: 2,000 changes, 100 kills of operators, 10 of the API server, 5 of etcd; and a picture of it for the
 * docs.
 */
import { writeFileSync } from 'node:fs';
import { afterAll, describe } from 'vitest';
import { type Panel, pictureOf } from './picture.ts';
import { type Shown, testKills } from './suite.ts';

const PICTURE = new URL('../../docs/images/kills.svg', import.meta.url);
const SIZE = { workloads: 40, pace: 150, flags: ['--settle=0s'], timeoutMs: 1_800_000 };
const panels: Panel[] = [];
const show = ({ name, reach }: Shown): void => {
  panels.push({ name, reach });
};

// Each with its own control plane, one after the other.
describe('full', () =>
  testKills([{ ...SIZE, changes: 800, operatorKills: 40, serverKills: 4, etcdKills: 2 }], show));
describe('compat', () =>
  testKills(
    [{ ...SIZE, changes: 600, operatorKills: 30, serverKills: 3, etcdKills: 1, compat: true }],
    show,
  ));
describe('two replicas', () =>
  testKills([{ ...SIZE, changes: 600, operatorKills: 30, serverKills: 3, etcdKills: 2, replicas: 2 }], show));

afterAll(() => {
  if (panels.length === 3) writeFileSync(PICTURE, pictureOf(panels, new Date().toISOString().slice(0, 10)));
});
