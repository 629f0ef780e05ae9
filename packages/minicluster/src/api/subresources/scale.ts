/** `/scale`: the replica count in one form for every kind that has one. */

import { dig, type Fields, isRecord } from '../../kinds/fields.ts';
import { applyDefaults, type Kind, type ScaleMapping } from '../../kinds/index.ts';
import { cloneJson } from '../../model/json-clone.ts';
import type { KubeObject } from '../../model/object.ts';
import { conflict, type FieldError, internalError, invalid, notFound } from '../../model/status.ts';
import { serverSideApply } from '../../patch/apply.ts';
import { applyJsonPatch } from '../../patch/json-patch.ts';
import { applyMergePatch } from '../../patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../../patch/strategic-merge-patch.ts';
import type { ApiResponse } from '../../request/request.ts';
import { isTrue } from '../../request/request-info.ts';
import { schemaFor } from '../../schema/definitions.ts';
import { readTyped } from '../../schema/typed.ts';
import { selectorText } from '../../selectors/selector-text.ts';
import { parseBody } from '../body.ts';
import { matchPath, type ResourceCall, readWriteOptions, refOf } from '../call.ts';
import { readObject, updateObject } from '../operations/update.ts';
import { trackFields, type WriteOptions, writerOf } from '../operations/write-options.ts';
import { APPLY, JSON_PATCH, MERGE, parsePatch, patchType, readApplied } from '../patch-body.ts';
import { respond } from '../respond.ts';

interface Scale extends KubeObject {
  spec: { replicas?: number };
  status: { replicas: number; selector?: string };
}

const GVK = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
const pathOf = (path: string): string[] => path.replace(/^\./, '').split('.');

export function getScale(call: ResourceCall): ApiResponse {
  const scale = scaleOf(call.kind, liveObject(call));
  if (call.kind.definition === undefined && scale.spec.replicas === undefined) {
    throw internalError(`the spec replicas field "${call.kind.scale?.specReplicasPath}" does not exist`);
  }
  return respond(call, 200, shown(scale));
}

/** Zero replicas are omitted, as Go's `omitempty` does. */
const shown = (scale: Scale): Scale => (scale.spec.replicas ? scale : { ...scale, spec: {} });

export function updateScale(call: ResourceCall): ApiResponse {
  const { value } = parseBody(call.request, 'Scale');
  return write(call, () => asScale(value));
}

export function patchScale(call: ResourceCall): ApiResponse {
  const type = patchType(call);
  if (type === APPLY) {
    const applied = readApplied(call);
    return write(call, (scale) =>
      asScale(
        serverSideApply({
          live: scale,
          applied,
          gvk: GVK,
          schema: schemaFor(GVK),
          writer: writerOf(call.cluster, call.kind, readWriteOptions(call)),
          force: isTrue(call.query.get('force')),
        }),
      ),
    );
  }
  const body = parsePatch(call);
  return write(call, (scale) => {
    if (type === JSON_PATCH) return asScale(applyJsonPatch(scale, body));
    if (type === MERGE) return asScale(applyMergePatch(scale, body));
    return asScale(applyStrategicMergePatch(scale, body, schemaFor(GVK) ?? {}));
  });
}

const asScale = (value: unknown): Scale =>
  readTyped({ ...(value as object), kind: 'Scale', apiVersion: 'autoscaling/v1' }, GVK)
    .object as unknown as Scale;

function liveObject(call: ResourceCall): KubeObject {
  const live = readObject(call.cluster, call.kind, refOf(call));
  if (!live) throw notFound({ group: call.kind.group, resource: call.kind.plural }, call.info.name);
  return live;
}

function write(call: ResourceCall, produce: (scale: Scale) => Scale): ApiResponse {
  const { cluster, kind } = call;
  const options = readWriteOptions(call);
  const mapping = kind.scale as ScaleMapping;
  const updated = updateObject(
    cluster,
    kind,
    refOf(call),
    (live) => {
      const scale = produce(scaleOf(kind, live));
      checkScale(call, scale, live);
      const object = cloneJson(live);
      setPath(object, pathOf(mapping.specReplicasPath), scale.spec?.replicas ?? 0);
      applyDefaults(kind, object);
      recordScaling(call, object, live, { ...options, subresource: 'scale' });
      return object;
    },
    { ...options, subresource: 'scale', fieldsTracked: true },
  );
  return respond(call, 200, shown(scaleOf(kind, updated)));
}

/** Ownership changes only if somebody owned the field before; a zero has no owner. */
function recordScaling(
  { cluster, kind }: ResourceCall,
  object: KubeObject,
  live: KubeObject,
  options: WriteOptions,
): void {
  const path = pathOf((kind.scale as ScaleMapping).specReplicasPath);
  const fields = path.map((name) => `f:${name}`);
  if (!live.metadata.managedFields?.some(({ fieldsV1 }) => dig(fieldsV1, ...fields) !== undefined)) return;
  const seen = dig(object, ...path) === 0 ? withoutPath(object, path) : object;
  trackFields(cluster, kind, seen, live, options);
  if (seen.metadata.managedFields) object.metadata.managedFields = seen.metadata.managedFields;
  else delete object.metadata.managedFields;
}

function withoutPath(object: KubeObject, path: readonly string[]): KubeObject {
  const copy = cloneJson(object);
  const parent = dig(copy, ...path.slice(0, -1));
  if (isRecord(parent)) delete parent[path.at(-1) ?? ''];
  return copy;
}

function checkScale(call: ResourceCall, scale: Scale, live: KubeObject): void {
  const metadata = scale.metadata ?? {};
  matchPath(call, metadata);
  if (metadata.resourceVersion && metadata.resourceVersion !== live.metadata.resourceVersion) {
    const why = 'the object has been modified; please apply your changes to the latest version and try again';
    throw conflict({ group: call.kind.group, resource: call.kind.plural }, metadata.name, why);
  }
  const replicas = scale.spec?.replicas ?? 0;
  if (replicas >= 0) return;
  const error: FieldError = {
    reason: 'FieldValueInvalid',
    field: 'spec.replicas',
    message: `Invalid value: ${replicas}: must be greater than or equal to 0`,
  };
  throw invalid({ group: 'autoscaling', kind: 'Scale' }, metadata.name, [error]);
}

function scaleOf(kind: Kind, object: KubeObject): Scale {
  const mapping = kind.scale as ScaleMapping;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  // Built-in kinds have a selector object, custom ones a string at a path of their CRD.
  const selector = kind.definition
    ? (object.spec as Fields).selector
    : mapping.labelSelectorPath && dig(object, ...pathOf(mapping.labelSelectorPath));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace && { namespace }), uid, resourceVersion, creationTimestamp },
    spec: replicasAt(object, mapping.specReplicasPath),
    status: {
      replicas: replicasAt(object, mapping.statusReplicasPath).replicas ?? 0,
      ...(selector
        ? {
            selector:
              typeof selector === 'string' ? selector : selectorText(labelSelector(selector as Fields)),
          }
        : {}),
    },
  };
}

/** A ReplicationController has only the labels. */
const labelSelector = (selector: Fields): Fields =>
  'matchLabels' in selector || 'matchExpressions' in selector ? selector : { matchLabels: selector };

function replicasAt(object: KubeObject, path: string): { replicas?: number } {
  const value = dig(object, ...pathOf(path));
  return typeof value === 'number' ? { replicas: value } : {};
}

function setPath(object: Fields, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) object[key] = value;
  else {
    object[key] ??= {};
    setPath(object[key] as Fields, rest, value);
  }
}
