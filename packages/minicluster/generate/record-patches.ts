/**
 * Sends the scenarios of `src/patch/cases/` to a real API server and writes down what it answers, in
 * `src/patch/cases/recorded.generated.json`.
 *
 * `SERVER=https://127.0.0.1:6443 TOKEN=… NODE_TLS_REJECT_UNAUTHORIZED=0 npx tsx generate/record-patches.ts`
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { applyScenarios } from '../src/patch/cases/apply.ts';
import type { RecordedStep, Scenario } from '../src/patch/cases/case.ts';
import { jsonScenarios } from '../src/patch/cases/json.ts';
import { type Exchange, installWidgets, replay } from '../src/patch/cases/replay.ts';
import { strategicScenarios } from '../src/patch/cases/strategic.ts';

const { SERVER, TOKEN } = process.env;
if (!SERVER || !TOKEN)
  throw new Error('set SERVER and TOKEN to a real API server and an administrator of it');

const exchange: Exchange = async (method, path, body, contentType = 'application/json') => {
  const response = await fetch(SERVER + path, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...(body !== undefined && { 'content-type': contentType }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { code: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} };
};

/** Who owns what is only of interest where that is the point. */
function shorten(scenario: Scenario, step: RecordedStep): RecordedStep {
  if (!step.object || applyScenarios.includes(scenario)) return step;
  const { managedFields: _, ...metadata } = step.object.metadata as Record<string, unknown>;
  return { ...step, object: { ...step.object, metadata } };
}

await installWidgets(exchange, () => delay(200));
// The field types of a new kind reach the server's apply a moment after the kind itself.
await delay(2000);

const lines = new Map<string, string>();
for (const scenario of [...applyScenarios, ...strategicScenarios, ...jsonScenarios]) {
  if (lines.has(scenario.name)) throw new Error(`two scenarios are called ${scenario.name}`);
  const steps = await replay(scenario, exchange);
  lines.set(scenario.name, JSON.stringify(steps.map((step) => shorten(scenario, step))));
}
const file = new URL('../src/patch/cases/recorded.generated.json', import.meta.url);
writeFileSync(
  file,
  `{\n${[...lines].map(([name, text]) => `${JSON.stringify(name)}: ${text}`).join(',\n')}\n}\n`,
);
process.stdout.write(`${lines.size} scenarios\n`);
