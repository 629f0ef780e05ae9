/** Sends the cases to any API server and returns its answers in comparable form. */
import type { Answer, Exchange } from '../wire/connect.ts';
import { crdSchemaCases, crdWith } from './crd-schemas.ts';
import { bodyCases, GADGET_CRD } from './gadget.ts';
import { RULER_BEFORE, RULER_CRD, ruleCases, ruledCrd, rulerBodies, rulerChanges } from './ruler.ts';

export interface RecordedAnswer {
  readonly code: number;
  readonly warnings?: readonly string[];
  readonly object?: Record<string, unknown>;
  readonly error?: { reason?: string; message?: string; causes?: readonly object[] };
}

/** By the name of the case. `crds` are sent while the CRD exists: 409 means that the CRD itself was valid. */
export type Recorded = Record<
  'bodies' | 'rules' | 'rulers' | 'changes' | 'crds',
  Record<string, RecordedAnswer>
>;

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GADGETS = '/apis/example.org/v1/namespaces/default/gadgets';
const RULERS = '/apis/example.org/v1/namespaces/default/rulers';
const DRY_RUN = '?dryRun=All';

/** The names of all cases by part. */
export const caseNames: Record<keyof Recorded, readonly string[]> = {
  bodies: bodyCases.map(({ name }) => name),
  rules: ruleCases.map((rule) => JSON.stringify(rule)),
  rulers: rulerBodies.map(({ name }) => name),
  changes: rulerChanges.map((change) => JSON.stringify(change)),
  crds: crdSchemaCases.map(({ name }) => name),
};

/** `pause` is awaited while a new kind is not served yet, and once it is: its schema may follow later. */
export async function replay(exchange: Exchange, pause: () => Promise<void>): Promise<Recorded> {
  const each = async <T>(
    part: keyof Recorded,
    cases: readonly T[],
    send: (one: T) => Promise<Answer>,
  ): Promise<Record<string, RecordedAnswer>> => {
    const answers: [string, RecordedAnswer][] = [];
    for (const [index, one] of cases.entries()) {
      answers.push([caseNames[part][index] as string, record(await send(one))]);
    }
    return Object.fromEntries(answers);
  };
  const install = async (crd: object, collection: string): Promise<void> => {
    const { code, body } = await exchange('POST', CRDS, crd);
    if (code !== 201) throw new Error(`the CRD was answered with ${code}: ${JSON.stringify(body)}`);
    do await pause();
    while ((await exchange('GET', collection)).code !== 200);
    await pause();
  };

  await install(GADGET_CRD, GADGETS);
  const bodies = await each('bodies', bodyCases, ({ body }) => exchange('POST', GADGETS + DRY_RUN, body));
  const rules = await each('rules', ruleCases, (rule) => exchange('POST', CRDS + DRY_RUN, ruledCrd(rule)));
  await install(RULER_CRD, RULERS);
  const rulers = await each('rulers', rulerBodies, ({ body }) => exchange('POST', RULERS + DRY_RUN, body));
  await exchange('POST', RULERS, RULER_BEFORE);
  const changes = await each('changes', rulerChanges, (spec) =>
    exchange('PATCH', `${RULERS}/subject${DRY_RUN}`, { spec }, 'application/merge-patch+json'),
  );
  const crds = await each('crds', crdSchemaCases, ({ schema }) =>
    exchange('POST', CRDS + DRY_RUN, crdWith(schema)),
  );
  return { bodies, rules, rulers, changes, crds };
}

function record({ code, body, warnings }: Answer): RecordedAnswer {
  const heard = warnings.length > 0 ? { warnings } : {};
  const { metadata: _, ...object } = body;
  // A CRD's status is not part of its schema.
  if (code < 300) return { code, ...heard, ...(object.kind !== 'CustomResourceDefinition' && { object }) };
  const { reason, message, details } = body as {
    reason?: string;
    message?: string;
    details?: { causes?: object[] };
  };
  return {
    code,
    error: {
      ...(reason && { reason }),
      ...(message && { message }),
      ...(details?.causes && { causes: details.causes }),
    },
  };
}

/** The order of several causes is unspecified, and so is that of the message. */
export function comparable({ code, warnings, object, error }: RecordedAnswer): object {
  if (!error) return { code, warnings: warnings ?? [], object };
  const causes = sorted(error.causes ?? []);
  return { code, reason: error.reason, causes, ...(causes.length < 2 && { message: error.message }) };
}

export function sorted(list: readonly object[]): object[] {
  return list
    .map((each) => Object.fromEntries(Object.entries(each).sort()))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
