/** The recorded answers are still those of a real API server. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { useControlPlane } from '../../../../test/control-plane/vitest.ts';
import { applyScenarios } from '../../testdata/patch/apply.ts';
import type { RecordedStep, Recording, Scenario } from '../../testdata/patch/case.ts';
import { jsonScenarios } from '../../testdata/patch/json.ts';
import { comparable, installWidgets, replay, withoutUnrecorded } from '../../testdata/patch/replay.ts';
import { strategicScenarios } from '../../testdata/patch/strategic.ts';
import { connect, type Exchange } from '../../testdata/wire/connect.ts';

const recording = JSON.parse(
  readFileSync(new URL('../../testdata/patch/recorded.generated.json', import.meta.url), 'utf8'),
) as Recording;
const cluster = useControlPlane();
let exchange: Exchange;

beforeAll(async () => {
  const { server, authority, adminToken } = cluster();
  exchange = connect({ url: server, ca: authority.certificate, token: adminToken });
  await installWidgets(exchange, () => delay(1000));
  // The server's apply learns the field types of a new kind shortly after it serves the kind.
  await delay(2000);
});

/**
 * The server orders managers by the second of their write, and within a second by name. The recordings were made
 * within one second, so a run that spans two is repeated.
 */
async function replayWithinOneSecond(scenario: Scenario): Promise<RecordedStep[]> {
  for (let attempt = 1; ; attempt++) {
    const steps = await replay(scenario, exchange);
    if (secondsIn(steps) <= 1 || attempt === 10) return steps;
  }
}

const secondsIn = (steps: readonly RecordedStep[]): number =>
  new Set(JSON.stringify(steps).match(/"time":"[^"]+"/g)).size;

describe.each([
  ['server-side apply and managedFields', applyScenarios],
  ['strategic merge patch', strategicScenarios],
  ['JSON patch and merge patch', jsonScenarios],
])('%s', (_title, scenarios) => {
  it.each(scenarios)('$name', async (scenario) => {
    const recorded = recording[scenario.name] ?? [];
    const steps = await replayWithinOneSecond(scenario);
    expect(withoutUnrecorded(steps, recorded).map(comparable)).toEqual(recorded.map(comparable));
  });
});
