/**
 * The whole server answers the scenarios as the real one did: decoding, defaults, validation and ownership together.
 * `recorded.test.ts` compares the single functions with the same answers, which shows where a difference comes from.
 */
import { readFileSync } from 'node:fs';
import { VirtualClock } from '@reloader/runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyScenarios } from '../../testdata/patch/apply.ts';
import type { Recording } from '../../testdata/patch/case.ts';
import { jsonScenarios } from '../../testdata/patch/json.ts';
import { comparable, installWidgets, replay, withoutUnrecorded } from '../../testdata/patch/replay.ts';
import { strategicScenarios } from '../../testdata/patch/strategic.ts';
import { connectInProcess } from '../../testdata/wire/in-process.ts';
import { type Minicluster, startMinicluster } from '../minicluster.ts';

const recording = JSON.parse(
  readFileSync(new URL('../../testdata/patch/recorded.generated.json', import.meta.url), 'utf8'),
) as Recording;

const clock = new VirtualClock();
let cluster: Minicluster;
const exchange = connectInProcess(() => cluster, clock);

beforeAll(async () => {
  cluster = await startMinicluster({ clock, seed: 1, workloads: false });
  await installWidgets(exchange, async () => undefined);
});

afterAll(() => cluster.stop());

describe.each([
  ['server-side apply and managedFields', applyScenarios],
  ['strategic merge patch', strategicScenarios],
  ['JSON patch and merge patch', jsonScenarios],
])('%s', (_title, scenarios) => {
  it.each(scenarios)('$name', async (scenario) => {
    const recorded = recording[scenario.name] ?? [];
    const steps = await replay(scenario, exchange);
    expect(withoutUnrecorded(steps, recorded).map(comparable)).toEqual(recorded.map(comparable));
  });
});
