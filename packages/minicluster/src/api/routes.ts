/** Maps verbs of resources to functions. A new verb or subresource is one more entry here. */
import type { Kind } from '../kinds/index.ts';
import {
  methodNotAllowed,
  noSuchResource,
  notFound,
  notImplemented,
  type StatusError,
} from '../model/status.ts';
import type { ApiResponse } from '../request/request.ts';
import { withWebhooks } from './admit.ts';
import type { ResourceCall, Verb } from './call.ts';
import { isBuiltInGroup } from './discovery/groups.ts';
import { textResponse } from './respond.ts';
import { virtualKinds } from './reviews/index.ts';
import { subresources } from './subresources/index.ts';
import { create } from './verbs/create.ts';
import { remove, removeCollection } from './verbs/delete.ts';
import { get } from './verbs/get.ts';
import { list } from './verbs/list.ts';
import { patch } from './verbs/patch.ts';
import { update } from './verbs/update.ts';
import { watch } from './verbs/watch.ts';

const VERBS: Readonly<Record<string, Verb>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};

/** Verbs of the collection; the others name an object. */
const COLLECTION_VERBS = new Set(['list', 'watch', 'create', 'deletecollection']);

export async function route(call: Omit<ResourceCall, 'kind'>): Promise<ApiResponse> {
  const { info, cluster } = call;
  const kind = cluster.kinds.lookup(info.group, info.version, info.resource);
  if (!kind) return notServed(call);
  const full: ResourceCall = { ...call, kind };
  if (kind.deprecationWarning) call.warnings.push(kind.deprecationWarning);
  if (info.subresource) return serveSubresource(full);
  if (info.verb === 'proxy') throw noSuchResource();
  const verb = VERBS[info.verb];
  checkScope(full);
  if (!verb || !kind.verbs.includes(info.verb)) throw methodNotAllowed();
  const virtual = virtualKinds(kind);
  if (kind.virtual) {
    if (!virtual) throw notImplemented(`${kind.kind} of ${kind.group || 'core'}/${kind.version}`);
    return virtual(full);
  }
  return withWebhooks(verb, full);
}

/** An existing group has its own 404 message. */
function notServed({ cluster, info }: Omit<ResourceCall, 'kind'>): ApiResponse {
  if (isBuiltInGroup(cluster, info.group)) throw noSuchResource();
  return textResponse(404, '404 page not found\n');
}

/** `metadata.name` in a field selector sets the name of a list request; it is not a name in the path. */
const namesObject = ({ name, verb }: ResourceCall['info']): boolean =>
  name !== '' && verb !== 'list' && verb !== 'watch';

/** Namespaced kinds need a namespace in the path, others must not have one. */
function checkScope({ kind, info, request }: ResourceCall): void {
  if (request.method === 'HEAD') throw methodNotAllowed();
  const named = namesObject(info);
  const collection = COLLECTION_VERBS.has(info.verb);
  if (!info.subresource && collection === named) throw methodNotAllowed();
  if (kind.namespaced) {
    if (info.namespace) return;
    if (!collection) throw noSuchResource();
    if (info.verb === 'create' || info.verb === 'deletecollection') throw methodNotAllowed();
    return;
  }
  if (info.namespace && kind.plural !== 'namespaces') throw noSuchResource();
}

function serveSubresource(call: ResourceCall): ApiResponse | Promise<ApiResponse> {
  const { kind, info } = call;
  if (!isServed(kind, info.subresource)) throw unknownSubresource(call);
  checkScope(call);
  const verbs = subresources(kind, info.subresource);
  if (!verbs)
    throw notImplemented(
      `the subresource ${info.subresource} of ${kind.plural}${reasonFor(info.subresource)}`,
    );
  const verb = verbs[info.verb];
  if (!verb) throw methodNotAllowed();
  return withWebhooks(verb, call);
}

/** exec, attach and port-forward are not supported: only the pod's lifecycle is simulated, nothing runs in it. */
const reasonFor = (subresource: string): string =>
  ['attach', 'exec', 'portforward', 'proxy'].includes(subresource)
    ? ': no process runs behind a simulated pod'
    : '';

/** Custom resources answer alike for a missing subresource and a missing object. */
function unknownSubresource({ kind, info }: ResourceCall): StatusError {
  if (kind.definition !== undefined) return noSuchResource();
  return notFound({ group: kind.group, resource: kind.plural }, info.name);
}

function isServed(kind: Kind, subresource: string): boolean {
  if (subresource === 'status') return kind.hasStatus === true;
  if (subresource === 'scale') return kind.scale !== undefined;
  return kind.subresources?.includes(subresource) ?? false;
}
