/**
 * The whole server answers the cases as the real one did. `recorded.test.ts` holds the single functions to the same
 * answers, and says where a difference comes from.
 */
import { readFileSync } from 'node:fs';
import { VirtualClock } from '@reloader/runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Minicluster, startMinicluster } from '../minicluster.ts';
import { crdSchemaCases, crdWith } from './cases/crd-schemas.ts';
import { bodyCases, GADGET_CRD } from './cases/gadget.ts';
import { RULER_BEFORE, RULER_CRD, ruleCases, ruledCrd, rulerBodies, rulerChanges } from './cases/ruler.ts';

interface Answer {
  readonly code: number;
  readonly warnings?: string[];
  readonly object?: Record<string, unknown>;
  readonly error?: { reason?: string; message?: string; causes?: object[] };
}

const recorded = JSON.parse(
  readFileSync(new URL('./cases/recorded.generated.json', import.meta.url), 'utf8'),
) as Record<'bodies' | 'rules' | 'rulers' | 'changes' | 'crds', Record<string, Answer>>;

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GADGETS = '/apis/example.org/v1/namespaces/default/gadgets';
const RULERS = '/apis/example.org/v1/namespaces/default/rulers';

let cluster: Minicluster;

async function send(method: string, path: string, body: unknown, type = 'application/json'): Promise<Answer> {
  const answer = await cluster
    .transport()
    .request({ method, path, headers: { 'content-type': type }, body: JSON.stringify(body) });
  let text = '';
  for await (const chunk of answer.body) text += Buffer.from(chunk).toString();
  const { metadata: _, ...content } = JSON.parse(text) as Record<string, unknown>;
  if (answer.status < 300) return { code: answer.status, object: content };
  const { reason, message, details } = content as {
    reason?: string;
    message?: string;
    details?: { causes?: object[] };
  };
  return {
    code: answer.status,
    error: {
      ...(reason && { reason }),
      ...(message && { message }),
      ...(details?.causes && { causes: details.causes }),
    },
  };
}

const byText = (list: readonly object[]): object[] =>
  list
    .map((each) => Object.fromEntries(Object.entries(each).sort()))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** The order of several causes is the server's own affair, and with it that of the message. */
function comparable({ code, object, error }: Answer): object {
  if (!error) return { code, object };
  const causes = error.causes ?? [];
  return {
    code,
    reason: error.reason,
    causes: byText(causes),
    ...(causes.length < 2 && { message: error.message }),
  };
}

beforeAll(async () => {
  cluster = await startMinicluster({ clock: new VirtualClock(), seed: 1, workloads: false });
  for (const crd of [GADGET_CRD, RULER_CRD]) expect((await send('POST', CRDS, crd)).code).toBe(201);
  expect((await send('POST', RULERS, RULER_BEFORE)).code).toBe(201);
});

afterAll(() => cluster.stop());

describe('custom resources', () => {
  it.each(bodyCases)('$name', async ({ name, body }) => {
    const answer = await send('POST', `${GADGETS}?dryRun=All`, body);
    expect(comparable(answer)).toEqual(comparable(recorded.bodies[name] as Answer));
  });
});

describe('rules', () => {
  // The subject exists here, so that creations have to have another name.
  it.each(rulerBodies)('creation with $name', async ({ name, body }) => {
    const metadata = body.metadata as { name: string };
    const other = { ...body, metadata: { name: metadata.name === 'subject' ? 'another' : metadata.name } };
    const { code, error } = await send('POST', `${RULERS}?dryRun=All`, other);
    const expected = recorded.rulers[name] as Answer;
    expect({ code, causes: byText(error?.causes ?? []) }).toEqual({
      code: expected.code,
      causes: byText(expected.error?.causes ?? []),
    });
  });

  it.each(rulerChanges.map((change) => [JSON.stringify(change), change] as const))(
    'update to %s',
    async (name, spec) => {
      const answer = await send(
        'PATCH',
        `${RULERS}/subject?dryRun=All`,
        { spec },
        'application/merge-patch+json',
      );
      expect(comparable(answer)).toEqual(comparable(recorded.changes[name] as Answer));
    },
  );
});

describe('CRDs', () => {
  // The CRD of rulers exists, which the server notices after it has looked at the schema.
  const ALREADY_THERE = 409;

  it.each(crdSchemaCases)('$name', async ({ name, schema }) => {
    const answer = await send('POST', `${CRDS}?dryRun=All`, crdWith(schema));
    const expected = recorded.crds[name] as Answer;
    if (expected.code === ALREADY_THERE) expect(answer.code).toBe(ALREADY_THERE);
    else expect(comparable(answer)).toEqual(comparable(expected));
  });

  it.each(ruleCases.map((rule) => [JSON.stringify(rule), rule] as const))('with %s', async (name, rule) => {
    const answer = await send('POST', `${CRDS}?dryRun=All`, ruledCrd(rule));
    const expected = recorded.rules[name] as Answer;
    if (expected.code < 300) expect([201, ALREADY_THERE]).toContain(answer.code);
    else expect(comparable(answer)).toEqual(comparable(expected));
  });
});
