/** Sends scenarios to any API server and returns its answers in comparable form. */

import { mergePatch } from '../../src/patch/merge-patch.ts';
import { isRecord, type JsonRecord } from '../../src/schema/json.ts';
import type { Answer, Exchange } from '../wire/connect.ts';
import { RESOURCES, type RecordedStep, type Scenario, type Step, SUBJECT, WIDGET_CRD } from './case.ts';

const CONTENT_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

async function send(step: Step, collection: string, exchange: Exchange): Promise<Answer> {
  const path = `${collection}/${SUBJECT}${step.subresource ? `/${step.subresource}` : ''}`;
  const query = `?fieldManager=${step.manager ?? 'tester'}${step.force ? '&force=true' : ''}`;
  if (step.verb === 'create') return exchange('POST', collection + query, step.body);
  if (step.verb === 'replace') {
    const live = await exchange('GET', path);
    return exchange('PUT', path + query, mergePatch(live.body, step.body));
  }
  return exchange('PATCH', path + query, step.body, CONTENT_TYPES[step.verb]);
}

async function remove(collection: string, exchange: Exchange): Promise<void> {
  const path = `${collection}/${SUBJECT}`;
  await exchange('PATCH', path, { metadata: { finalizers: null } }, CONTENT_TYPES.merge);
  await exchange('DELETE', path);
}

/** Installs the Widget CRD. */
export async function installWidgets(exchange: Exchange, pause: () => Promise<void>): Promise<void> {
  await exchange('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', WIDGET_CRD);
  while ((await exchange('GET', RESOURCES.Widget.path)).code !== 200) await pause();
}

/** Runs all steps on a new object, and deletes it afterwards. */
export async function replay(scenario: Scenario, exchange: Exchange): Promise<RecordedStep[]> {
  const { path } = RESOURCES[scenario.kind];
  await remove(path, exchange);
  const steps: RecordedStep[] = [];
  for (const step of scenario.steps) {
    const { code, body } = await send(step, path, exchange);
    steps.push(code < 300 ? { code, object: body } : { code, error: errorOf(body) });
  }
  await remove(path, exchange);
  return steps;
}

function errorOf(body: JsonRecord): NonNullable<RecordedStep['error']> {
  const { reason, message, details } = body as {
    reason?: string;
    message?: string;
    details?: { causes?: unknown[] };
  };
  return {
    ...(reason && { reason }),
    ...(message && { message }),
    ...(details?.causes && { causes: details.causes }),
  };
}

/** Without values that always differ between runs: the server's numbers and times, and unspecified orders. */
export function comparable({ code, object, error }: RecordedStep): unknown {
  if (object) return { code, object: withoutChance(object) };
  const causes = (error?.causes ?? []) as { field: string; message: string }[];
  return {
    code,
    reason: error?.reason,
    message: withoutQuotes(error?.message),
    causes: causes
      .map((cause) => ({ ...cause, message: withoutQuotes(cause.message) }))
      .sort((a, b) => (a.field + a.message < b.field + b.message ? -1 : 1)),
  };
}

/** A message may quote a whole object with its keys in any order. */
function withoutQuotes(message: string | undefined): string | undefined {
  return message?.replace(/"\{\\".*\}"/, '"{…}"');
}

function withoutChance(object: JsonRecord): JsonRecord {
  const { metadata, ...rest } = structuredClone(object);
  if (!isRecord(metadata)) return rest;
  for (const key of ['uid', 'resourceVersion', 'creationTimestamp']) delete metadata[key];
  const entries = metadata.managedFields as JsonRecord[] | undefined;
  if (entries) {
    metadata.managedFields = entries
      .map(({ time: _, ...entry }) => entry)
      .sort((a, b) => (identity(a) < identity(b) ? -1 : 1));
  }
  return { ...rest, metadata };
}

const identity = ({ manager, operation, subresource }: JsonRecord): string =>
  `${manager} ${operation} ${subresource}`;

/** Steps without field owners if the recording has none. */
export function withoutUnrecorded(
  steps: readonly RecordedStep[],
  recorded: readonly RecordedStep[],
): RecordedStep[] {
  return steps.map((step, index) => {
    const metadata = recorded[index]?.object?.metadata;
    if (!step.object || !isRecord(metadata) || metadata.managedFields !== undefined) return step;
    const { managedFields: _, ...rest } = step.object.metadata as JsonRecord;
    return { ...step, object: { ...step.object, metadata: rest } };
  });
}
