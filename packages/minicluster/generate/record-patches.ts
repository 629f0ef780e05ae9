/**
 * Sends the scenarios of `src/patch/cases/` to a real API server and writes down what it answers, in
 * `src/patch/cases/recorded.generated.json`.
 *
 * `SERVER=https://127.0.0.1:6443 TOKEN=… NODE_TLS_REJECT_UNAUTHORIZED=0 npx tsx generate/record-patches.ts`
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { applyScenarios } from '../src/patch/cases/apply.ts';
import {
  RESOURCES,
  type RecordedStep,
  type Recording,
  type Scenario,
  type Step,
  SUBJECT,
  WIDGET_CRD,
} from '../src/patch/cases/case.ts';
import { jsonScenarios } from '../src/patch/cases/json.ts';
import { strategicScenarios } from '../src/patch/cases/strategic.ts';
import { mergePatch } from '../src/patch/merge-patch.ts';

const { SERVER, TOKEN } = process.env;
if (!SERVER || !TOKEN)
  throw new Error('set SERVER and TOKEN to a real API server and an administrator of it');

const CONTENT_TYPES = {
  create: 'application/json',
  replace: 'application/json',
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

interface Answer {
  readonly code: number;
  readonly body: Record<string, unknown>;
}

async function request(
  method: string,
  path: string,
  body?: unknown,
  type = 'application/json',
): Promise<Answer> {
  const response = await fetch(SERVER + path, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { code: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function send(step: Step, collection: string): Promise<Answer> {
  const path = `${collection}/${SUBJECT}${step.subresource ? `/${step.subresource}` : ''}`;
  const query = `?fieldManager=${step.manager ?? 'tester'}${step.force ? '&force=true' : ''}`;
  if (step.verb === 'create') return request('POST', collection + query, step.body);
  if (step.verb === 'replace') {
    const live = await request('GET', path);
    return request('PUT', path + query, mergePatch(live.body, step.body));
  }
  return request('PATCH', path + query, step.body, CONTENT_TYPES[step.verb]);
}

async function remove(collection: string): Promise<void> {
  const path = `${collection}/${SUBJECT}`;
  await request('PATCH', path, { metadata: { finalizers: null } }, 'application/merge-patch+json');
  await request('DELETE', path);
}

/** Who owns what is only of interest where that is the point. */
const tracksOwners = (scenario: Scenario): boolean => applyScenarios.includes(scenario);

function withoutOwners(object: Record<string, unknown>): Record<string, unknown> {
  const { managedFields: _, ...metadata } = object.metadata as Record<string, unknown>;
  return { ...object, metadata };
}

async function record(scenario: Scenario): Promise<RecordedStep[]> {
  const { path } = RESOURCES[scenario.kind];
  await remove(path);
  const steps: RecordedStep[] = [];
  for (const step of scenario.steps) {
    const { code, body } = await send(step, path);
    if (code < 300) steps.push({ code, object: tracksOwners(scenario) ? body : withoutOwners(body) });
    else {
      const { reason, message, details } = body as {
        reason?: string;
        message?: string;
        details?: { causes?: unknown[] };
      };
      steps.push({
        code,
        error: {
          ...(reason && { reason }),
          ...(message && { message }),
          ...(details?.causes && { causes: details.causes }),
        },
      });
    }
  }
  await remove(path);
  return steps;
}

await request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', WIDGET_CRD);
while ((await request('GET', RESOURCES.Widget.path)).code !== 200) await delay(200);
// The field types of a new kind reach the server's apply a moment after the kind itself.
await delay(2000);

const recording: Recording = {};
for (const scenario of [...applyScenarios, ...strategicScenarios, ...jsonScenarios]) {
  if (recording[scenario.name]) throw new Error(`two scenarios are called ${scenario.name}`);
  recording[scenario.name] = await record(scenario);
}
const lines = Object.entries(recording).map(
  ([name, steps]) => `${JSON.stringify(name)}: ${JSON.stringify(steps)}`,
);
const file = new URL('../src/patch/cases/recorded.generated.json', import.meta.url);
writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
process.stdout.write(`${lines.length} scenarios\n`);
