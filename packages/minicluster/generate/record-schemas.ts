/**
 * Sends the cases of `src/schema/cases/` to a real API server and writes down what it answers, in
 * `src/schema/cases/recorded.generated.json`.
 *
 * `SERVER=https://127.0.0.1:6443 TOKEN=… NODE_TLS_REJECT_UNAUTHORIZED=0 npx tsx generate/record-schemas.ts`
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { crdSchemaCases, crdWith } from '../src/schema/cases/crd-schemas.ts';
import { bodyCases, GADGET_CRD } from '../src/schema/cases/gadget.ts';
import {
  RULER_BEFORE,
  RULER_CRD,
  ruleCases,
  ruledCrd,
  rulerBodies,
  rulerChanges,
} from '../src/schema/cases/ruler.ts';

const { SERVER, TOKEN } = process.env;
if (!SERVER || !TOKEN)
  throw new Error('set SERVER and TOKEN to a real API server and an administrator of it');

interface Answer {
  readonly code: number;
  readonly warnings?: string[];
  readonly object?: Record<string, unknown>;
  readonly error?: unknown;
}

async function request(
  method: string,
  path: string,
  body?: unknown,
  type = 'application/json',
): Promise<Answer> {
  const response = await fetch(SERVER + path, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': type },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // A kind that is not served yet gets plain text.
  if (!text.startsWith('{')) return { code: response.status, error: { message: text } };
  const answer = JSON.parse(text) as Record<string, unknown>;
  const warning = response.headers.get('warning');
  const warnings = warning
    ? [...warning.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(
        ([, text]) => JSON.parse(text as string) as string,
      )
    : undefined;
  if (response.status < 300) {
    const { metadata: _, ...object } = answer;
    return { code: response.status, ...(warnings && { warnings }), object };
  }
  const { reason, message, details } = answer as {
    reason?: string;
    message?: string;
    details?: { causes?: unknown };
  };
  return { code: response.status, error: { reason, message, causes: details?.causes } };
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GADGETS = '/apis/example.org/v1/namespaces/default/gadgets';
const RULERS = '/apis/example.org/v1/namespaces/default/rulers';

async function install(crd: { metadata: { name: string } }, collection: string): Promise<void> {
  await request('DELETE', `${CRDS}/${crd.metadata.name}`);
  while ((await request('GET', `${CRDS}/${crd.metadata.name}`)).code !== 404) await delay(200);
  const created = await request('POST', CRDS, crd);
  if (created.code !== 201) throw new Error(JSON.stringify(created));
  while ((await request('GET', collection)).code !== 200) await delay(200);
  await delay(1000);
}

async function recordAll<T>(
  cases: readonly T[],
  nameOf: (each: T) => string,
  send: (each: T) => Promise<Answer>,
): Promise<string> {
  const answers = new Map<string, Answer>();
  for (const each of cases) {
    const name = nameOf(each);
    if (answers.has(name)) throw new Error(`two cases are called ${name}`);
    answers.set(name, await send(each));
  }
  return `{\n${[...answers].map(([name, answer]) => `${JSON.stringify(name)}: ${JSON.stringify(answer)}`).join(',\n')}\n}`;
}

await install(GADGET_CRD, GADGETS);
const gadgets = await recordAll(
  bodyCases,
  ({ name }) => name,
  ({ body }) => request('POST', `${GADGETS}?dryRun=All`, body),
);

const rules = await recordAll(ruleCases, JSON.stringify, (rule) =>
  request('POST', `${CRDS}?dryRun=All`, ruledCrd(rule)),
);

await install(RULER_CRD, RULERS);
const rulers = await recordAll(
  rulerBodies,
  ({ name }) => name,
  ({ body }) => request('POST', `${RULERS}?dryRun=All`, body),
);
await request('POST', RULERS, RULER_BEFORE);
const changes = await recordAll(rulerChanges, JSON.stringify, (spec) =>
  request('PATCH', `${RULERS}/subject?dryRun=All`, { spec }, 'application/merge-patch+json'),
);

const crds = await recordAll(
  crdSchemaCases,
  ({ name }) => name,
  ({ schema }) => request('POST', `${CRDS}?dryRun=All`, crdWith(schema)),
);

const file = new URL('../src/schema/cases/recorded.generated.json', import.meta.url);
const parts = { bodies: gadgets, rules, rulers, changes, crds };
writeFileSync(
  file,
  `{\n${Object.entries(parts)
    .map(([name, text]) => `"${name}": ${text}`)
    .join(',\n')}\n}\n`,
);
