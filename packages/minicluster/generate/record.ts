/**
 * Sends the cases of `testdata/patch/` and `testdata/schema/` to its own real API server and records the answers in
 * the `recorded.generated.json` files beside them: `npx tsx packages/minicluster/generate/record.ts`.
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

/** managedFields are recorded only in the scenarios about ownership. */
function shorten(scenario: Scenario, step: RecordedStep): RecordedStep {
  if (!step.object || applyScenarios.includes(scenario)) return step;
  const { managedFields: _, ...metadata } = step.object.metadata as Record<string, unknown>;
  return { ...step, object: { ...step.object, metadata } };
}

async function recordPatches(exchange: Exchange): Promise<void> {
  await installWidgets(exchange, () => delay(1000));
  // The server's apply learns the field types of a new kind shortly after it serves the kind.
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
