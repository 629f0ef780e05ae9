/**
 * Every patch in `testdata/patch` gives the result of a real API server (Kubernetes 1.36.3): the same object, the
 * same field owners, the same error. Each step starts from the real server's object.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { applyScenarios } from '../../testdata/patch/apply.ts';
import {
  RESOURCES,
  type RecordedStep,
  type Recording,
  type Scenario,
  type Step,
  WIDGET_CRD,
} from '../../testdata/patch/case.ts';
import { jsonScenarios } from '../../testdata/patch/json.ts';
import { strategicScenarios } from '../../testdata/patch/strategic.ts';
import { StatusError } from '../model/status.ts';
import { customResourceSchema, type GroupVersionKind, schemaFor } from '../schema/definitions.ts';
import { isRecord, type JsonRecord } from '../schema/json.ts';
import type { Schema } from '../schema/schema.ts';
import { serverSideApply } from './apply.ts';
import { applyJsonPatch } from './json-patch.ts';
import { trackUpdate, type Writer } from './managed-fields.ts';
import { applyMergePatch, mergePatch } from './merge-patch.ts';
import { readPatched } from './patched.test.support.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const recording = JSON.parse(
  readFileSync(new URL('../../testdata/patch/recorded.generated.json', import.meta.url), 'utf8'),
) as Recording;

const widgetSchema = customResourceSchema(
  WIDGET_CRD.spec.versions[0].schema.openAPIV3Schema as unknown as Schema,
);

function gvkOf(kind: Scenario['kind']): GroupVersionKind {
  const [group, version] = RESOURCES[kind].apiVersion.split('/');
  return version === undefined
    ? { group: '', version: group ?? '', kind }
    : { group: group ?? '', version, kind };
}

const schemaOf = (kind: Scenario['kind']): Schema =>
  kind === 'Widget' ? widgetSchema : (schemaFor(gvkOf(kind)) as Schema);

/** Fields that patches do not determine: the server's numbers and times. */
function comparable(object: JsonRecord): JsonRecord {
  const { metadata, ...rest } = structuredClone(object);
  if (!isRecord(metadata)) return rest;
  for (const key of [
    'uid',
    'resourceVersion',
    'generation',
    'creationTimestamp',
    'namespace',
    'managedFields',
  ]) {
    delete metadata[key];
  }
  return { ...rest, metadata };
}

/** The main resource keeps the status; a new object gets the server's. */
function main(object: JsonRecord, live: JsonRecord | undefined, recorded: JsonRecord): JsonRecord {
  const { status: _, ...rest } = comparable(object);
  const status = live ? live.status : recorded.status;
  return status === undefined ? rest : { ...rest, status };
}

function managers(object: JsonRecord): unknown {
  const entries = (object.metadata as { managedFields?: JsonRecord[] }).managedFields;
  const name = ({ manager, operation, subresource }: JsonRecord): string =>
    `${manager} ${operation} ${subresource}`;
  return entries?.map(({ time: _, ...entry }) => entry).sort((a, b) => (name(a) < name(b) ? -1 : 1));
}

function expectFailure(run: () => unknown, { code, error }: RecordedStep): void {
  let thrown: unknown;
  try {
    run();
  } catch (caught) {
    thrown = caught;
  }
  expect(thrown).toBeInstanceOf(StatusError);
  const { body } = thrown as StatusError;
  expect({ code: body.code, reason: body.reason, message: withoutOrder(body.message) }).toEqual({
    code,
    reason: error?.reason,
    message: withoutOrder(error?.message),
  });
  if (error?.causes) expect(causes(body.details?.causes)).toEqual(causes(error.causes));
}

/** Sorted by field: the server iterates over managers in random order. */
function causes(list: unknown): unknown {
  return (list as { field: string; message: string }[])
    .map((cause) => ({ ...cause, message: withoutOrder(cause.message) }))
    .sort((a, b) => (a.field < b.field ? -1 : 1));
}

/** The order of keys in a quoted object is not specified. */
function withoutOrder(message: string | undefined): string | undefined {
  return message?.replace(/"\{\\".*\}"/, '"{…}"');
}

function patched(step: Step, live: JsonRecord, kind: Scenario['kind']): JsonRecord {
  switch (step.verb) {
    case 'json':
      return readPatched(applyJsonPatch(live, step.body), gvkOf(kind), { type: 'json' }).object;
    case 'merge':
      return readPatched(applyMergePatch(live, step.body), gvkOf(kind), { type: 'merge' }).object;
    case 'replace':
      return mergePatch(live, step.body) as JsonRecord;
    default:
      return readPatched(applyStrategicMergePatch(live, step.body, schemaOf(kind)), gvkOf(kind), {
        type: 'strategic',
        patch: step.body,
      }).object;
  }
}

const STATUS_RESETS = [['spec'], ['metadata']];
const MAIN_RESETS = [['status']];

function check(scenario: Scenario, step: Step, live: JsonRecord | undefined, recorded: RecordedStep): void {
  const { kind } = scenario;
  const schema = schemaOf(kind);
  const isStatus = step.subresource === 'status';
  const writer: Writer = {
    manager: step.manager ?? 'tester',
    apiVersion: RESOURCES[kind].apiVersion,
    time: '2099-01-01T00:00:00Z',
    ...(step.subresource && { subresource: step.subresource }),
  };
  const resetFields = isStatus ? STATUS_RESETS : kind === 'ConfigMap' ? [] : MAIN_RESETS;
  const apply = (): JsonRecord =>
    serverSideApply({
      live,
      applied: step.body,
      gvk: gvkOf(kind),
      schema,
      writer,
      force: step.force ?? false,
      resetFields,
    });

  if (!recorded.object) {
    expectFailure(
      () => (step.verb === 'apply' ? apply() : patched(step, live as JsonRecord, kind)),
      recorded,
    );
    return;
  }
  if (step.verb === 'apply') {
    const result = apply();
    if (!isStatus)
      expect(main(withoutFilledIn(result, recorded.object), live, recorded.object)).toEqual(
        comparable(recorded.object),
      );
    expect(managers(result)).toEqual(managers(recorded.object));
    return;
  }
  const sent = step.verb === 'create' || isStatus ? undefined : patched(step, live as JsonRecord, kind);
  if (sent) expect(main(sent, live, recorded.object)).toEqual(comparable(recorded.object));
  if (!applyScenarios.includes(scenario) || (step.verb === 'create' && kind === 'Service')) return;
  const { managedFields: _, ...metadata } = recorded.object.metadata as JsonRecord;
  const sentEntries = (sent?.metadata as JsonRecord | undefined)?.managedFields;
  const next = {
    ...recorded.object,
    metadata: { ...metadata, ...(sentEntries !== undefined && { managedFields: sentEntries }) },
  };
  const entries = trackUpdate(live, next, schema, writer, { resetFields });
  expect(managers({ metadata: { managedFields: entries } })).toEqual(managers(recorded.object));
}

/** Defaults and allocation follow an apply: copy them where the apply left them to the server. */
function withoutFilledIn(result: JsonRecord, recorded: JsonRecord): JsonRecord {
  const fill = (ours: unknown, theirs: unknown): unknown => {
    if (isRecord(ours) && isRecord(theirs)) {
      const filled: JsonRecord = {};
      for (const key of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
        filled[key] =
          key in ours ? fill(ours[key], theirs[key]) : FILLED_IN.has(key) ? theirs[key] : undefined;
      }
      return filled;
    }
    if (Array.isArray(ours) && Array.isArray(theirs) && ours.length === theirs.length) {
      return ours.map((item, index) => fill(item, theirs[index]));
    }
    return ours;
  };
  return comparable(fill(result, recorded) as JsonRecord);
}

const FILLED_IN = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'namespace',
  'managedFields',
  'size',
  'side',
  'protocol',
  'targetPort',
  'progressDeadlineSeconds',
  'revisionHistoryLimit',
  'type',
  'rollingUpdate',
  'restartPolicy',
  'terminationGracePeriodSeconds',
  'dnsPolicy',
  'securityContext',
  'schedulerName',
]);

for (const [title, scenarios] of Object.entries({
  'server-side apply and managedFields': applyScenarios,
  'strategic merge patch': strategicScenarios,
  'JSON patch and merge patch': jsonScenarios,
})) {
  describe(title, () => {
    it.each(scenarios)('$name', (scenario) => {
      const steps = recording[scenario.name] ?? [];
      expect(steps).toHaveLength(scenario.steps.length);
      let live: JsonRecord | undefined;
      scenario.steps.forEach((step, index) => {
        const recorded = steps[index] as RecordedStep;
        check(scenario, step, live, recorded);
        live = recorded.object ?? live;
      });
    });
  });
}
