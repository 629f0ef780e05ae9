/**
 * Sends the cases of `src/schema/cases/` to a real API server and writes down what it answers, in
 * `src/schema/cases/recorded.generated.json`.
 *
 * `SERVER=https://127.0.0.1:6443 TOKEN=… NODE_TLS_REJECT_UNAUTHORIZED=0 npx tsx generate/record-schemas.ts`
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { bodyCases, GADGET_CRD } from '../src/schema/cases/gadget.ts';

const { SERVER, TOKEN } = process.env;
if (!SERVER || !TOKEN)
  throw new Error('set SERVER and TOKEN to a real API server and an administrator of it');

interface Answer {
  readonly code: number;
  readonly warnings?: string[];
  readonly object?: Record<string, unknown>;
  readonly error?: unknown;
}

async function request(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(SERVER + path, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Record<string, unknown>;
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

const GADGETS = '/apis/example.org/v1/namespaces/default/gadgets';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

await request('DELETE', `${CRDS}/${GADGET_CRD.metadata.name}`);
await delay(1000);
const created = await request('POST', CRDS, GADGET_CRD);
if (created.code !== 201) throw new Error(JSON.stringify(created));
while ((await request('GET', GADGETS)).code !== 200) await delay(200);
await delay(1000);

const bodies: Record<string, Answer> = {};
for (const { name, body } of bodyCases) {
  if (bodies[name]) throw new Error(`two cases are called ${name}`);
  bodies[name] = await request('POST', `${GADGETS}?dryRun=All`, body);
}
const lines = Object.entries(bodies).map(
  ([name, answer]) => `${JSON.stringify(name)}: ${JSON.stringify(answer)}`,
);
const file = new URL('../src/schema/cases/recorded.generated.json', import.meta.url);
writeFileSync(file, `{\n"bodies": {\n${lines.join(',\n')}\n}\n}\n`);
process.stdout.write(`${lines.length} cases\n`);
