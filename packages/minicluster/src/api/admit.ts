/**
 * Admission webhooks for writes. A write is computed synchronously, so that nothing can change in between; a webhook
 * call is asynchronous. So the write is first computed up to the point of storing, the webhooks review that object,
 * and then the write is repeated with their result. If the object changed in between, they are called again, as the
 * API server does.
 *
 * Writes of the simulated controllers are internal and are not reviewed.
 */

import type { Operation } from '../admission/configurations.ts';
import { reviewWrite } from '../admission/review.ts';
import { applyDefaults } from '../kinds/index.ts';
import { cloneJson } from '../model/json-clone.ts';
import type { KubeObject } from '../model/object.ts';
import { conflict } from '../model/status.ts';
import type { ApiResponse } from '../request/request.ts';
import { deepEqual } from '../schema/json.ts';
import { isDryRun, type ResourceCall, refOf, type Verb } from './call.ts';
import { type Cluster, writeContext } from './cluster.ts';
import { readObject } from './operations/update.ts';

const GROUP = 'admissionregistration.k8s.io';
const ATTEMPTS = 5;

/** Thrown instead of storing: the write is computed and must be reviewed first. */
class Pending extends Error {
  readonly object: KubeObject;
  readonly live: KubeObject | undefined;

  constructor(object: KubeObject, live: KubeObject | undefined) {
    super('waits for admission');
    this.object = object;
    this.live = live;
  }
}

/** Runs the verb, with webhooks called if any match. */
export function withWebhooks(verb: Verb, call: ResourceCall): ApiResponse | Promise<ApiResponse> {
  const { kind, info, cluster } = call;
  // Webhooks do not review webhook configurations, so that nobody can lock themselves out.
  if (kind.group === GROUP || !WRITES.has(info.verb)) return verb(call);
  const mutating = configurations(cluster, 'mutatingwebhookconfigurations');
  const validating = configurations(cluster, 'validatingwebhookconfigurations');
  if (mutating.length + validating.length === 0) return verb(call);
  const ask = (operation: Operation, object: KubeObject | undefined, oldObject: KubeObject | undefined) =>
    reviewWrite({
      attributes: {
        operation,
        group: kind.group,
        version: kind.version,
        resource: kind.plural,
        subresource: info.subresource,
        namespace: kind.namespaced ? info.namespace : '',
        namespaceLabels: labelsOf(cluster, info.namespace),
        object,
        oldObject,
      },
      kind: kind.kind,
      name: info.name || object?.metadata.name || '',
      user: call.user,
      dryRun: isDryRun(call.query.getAll('dryRun')),
      mutating,
      validating,
      uuid: () => cluster.random.uuid(),
      warn: (text) => void call.warnings.push(text),
      serviceAddress: cluster.serviceAddress ?? (() => undefined),
    });
  if (info.verb === 'delete') return deleted(verb, call, ask);
  return reviewed(verb, call, ask);
}

type Ask = (
  operation: Operation,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
) => Promise<KubeObject | undefined>;

const WRITES = new Set(['create', 'update', 'patch', 'delete']);

async function deleted(verb: Verb, call: ResourceCall, ask: Ask): Promise<ApiResponse> {
  const live = readObject(call.cluster, call.kind, refOf(call));
  if (live) await ask('DELETE', undefined, live);
  return await verb(call);
}

async function reviewed(verb: Verb, call: ResourceCall, ask: Ask): Promise<ApiResponse> {
  let seen: { readonly object: KubeObject; readonly result: KubeObject } | undefined;
  const warned = call.warnings.length;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const review = (object: KubeObject, live: KubeObject | undefined): void => {
      if (!seen || !deepEqual(object, seen.object)) throw new Pending(cloneJson(object), live);
      replace(object, seen.result);
      applyDefaults(call.kind, object);
    };
    try {
      return await verb({ ...call, review });
    } catch (error) {
      if (!(error instanceof Pending)) throw error;
      // Warnings collected so far are collected again when the write is repeated.
      call.warnings.splice(warned);
      const result = await ask(error.live ? 'UPDATE' : 'CREATE', error.object, error.live);
      seen = { object: error.object, result: result ?? error.object };
    }
  }
  const { kind, info } = call;
  throw conflict(
    { group: kind.group, resource: kind.plural },
    info.name,
    'it changed while webhooks looked at it',
  );
}

function replace(object: KubeObject, by: KubeObject): void {
  for (const field of Object.keys(object)) delete (object as Record<string, unknown>)[field];
  Object.assign(object, cloneJson(by));
}

function configurations(cluster: Cluster, plural: string): KubeObject[] {
  const kind = cluster.kinds.lookup(GROUP, 'v1', plural);
  return kind ? [...writeContext(cluster).list(kind)] : [];
}

function labelsOf(cluster: Cluster, namespace: string): Readonly<Record<string, string>> | undefined {
  const kind = cluster.kinds.lookup('', 'v1', 'namespaces');
  return kind && namespace ? readObject(cluster, kind, { name: namespace })?.metadata.labels : undefined;
}
