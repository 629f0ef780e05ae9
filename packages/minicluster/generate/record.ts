/**
 * Sends the cases of `testdata/patch/` and `testdata/schema/` to a real API server of its own and writes down what it
 * answers, in the `recorded.generated.json` beside them: `npx tsx packages/minicluster/generate/record.ts`.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { startControlPlane } from '../../../test/control-plane/start.ts';
import { applyScenarios } from '../testdata/patch/apply.ts';
import type { RecordedStep, Scenario } from '../testdata/patch/case.ts';
import { jsonScenarios } from '../testdata/patch/json.ts';
import { installWidgets, replay } from '../testdata/patch/replay.ts';
import { strategicScenarios } from '../testdata/patch/strategic.ts';
import { replay as replaySchemas } from '../testdata/schema/replay.ts';
import { connect, type Exchange } from '../testdata/wire/connect.ts';

type Entries = readonly (readonly [name: string, value: unknown])[];

/** An object with one line per entry, so that a change shows as one changed line. */
function lines(
  entries: Entries,
  write: (value: unknown) => string = (value) => JSON.stringify(value),
): string {
  return `{\n${entries.map(([name, value]) => `${JSON.stringify(name)}: ${write(value)}`).join(',\n')}\n}`;
}

function write(file: string, text: string): void {
  writeFileSync(new URL(`../testdata/${file}`, import.meta.url), `${text}\n`);
  process.stdout.write(`${file}: ${text.length} bytes\n`);
}

/** Who owns what is only of interest where that is the point. */
function shorten(scenario: Scenario, step: RecordedStep): RecordedStep {
  if (!step.object || applyScenarios.includes(scenario)) return step;
  const { managedFields: _, ...metadata } = step.object.metadata as Record<string, unknown>;
  return { ...step, object: { ...step.object, metadata } };
}

async function recordPatches(exchange: Exchange): Promise<void> {
  await installWidgets(exchange, () => delay(1000));
  // The field types of a new kind reach the server's apply a moment after the kind itself.
  await delay(2000);
  const recorded = new Map<string, RecordedStep[]>();
  for (const scenario of [...applyScenarios, ...strategicScenarios, ...jsonScenarios]) {
    if (recorded.has(scenario.name)) throw new Error(`two scenarios are called ${scenario.name}`);
    const steps = await replay(scenario, exchange);
    recorded.set(
      scenario.name,
      steps.map((step) => shorten(scenario, step)),
    );
  }
  write('patch/recorded.generated.json', lines([...recorded]));
}

async function recordSchemas(exchange: Exchange): Promise<void> {
  const parts = Object.entries(await replaySchemas(exchange, () => delay(1000)));
  write(
    'schema/recorded.generated.json',
    lines(parts, (answers) => lines(Object.entries(answers as object))),
  );
}

const cluster = await startControlPlane({});
try {
  const { server, authority, adminToken } = cluster;
  const exchange = connect({ url: server, ca: authority.certificate, token: adminToken });
  await recordPatches(exchange);
  await recordSchemas(exchange);
} finally {
  await cluster.stop();
}
