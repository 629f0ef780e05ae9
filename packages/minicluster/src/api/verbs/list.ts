/** Lists: their revision, pages and selection. */
import { storageOf } from '../../kinds/index.ts';
import type { KubeObject } from '../../model/object.ts';
import { badRequest, expired, type StatusError } from '../../model/status.ts';
import type { ApiResponse } from '../../request/request.ts';
import type { Snapshot } from '../../storage/collection.ts';
import { storageName } from '../../storage/store.ts';
import type { ResourceCall } from '../call.ts';
import { decodeContinue, encodeContinue } from '../continue-token.ts';
import { readRevision, waitForRequested, waitUntilFresh } from '../freshness.ts';
import { type ListOptions, readListOptions } from '../list-options.ts';
import { type ListMeta, representList, shown } from '../representation.ts';
import { representation, respond } from '../respond.ts';
import { readSelection, type Selection, selects } from '../selection.ts';

export async function list(call: ResourceCall): Promise<ApiResponse> {
  const as = representation(call);
  const options = readListOptions(call.query, false, call.cluster.features);
  const { objects, metadata } = await selectObjects(call, options);
  return respond(call, 200, representList(as, objects, metadata));
}

export interface Page {
  readonly objects: KubeObject[];
  readonly metadata: ListMeta;
}

export async function selectObjects(call: ResourceCall, options: ListOptions): Promise<Page> {
  const selection = readSelection(call, options);
  if (options.continue !== '') return nextPage(call, options, selection);
  const snapshot = await firstSnapshot(call, options);
  // A list that may be stale is served from the cache in one piece.
  const limit = options.resourceVersion === '0' ? 0 : options.limit;
  return readPage(call, snapshot, selection, limit, '', snapshot.revision);
}

async function firstSnapshot(call: ResourceCall, options: ListOptions): Promise<Snapshot> {
  const { cluster, replica } = call;
  const resource = storageName(storageOf(call.kind));
  const { resourceVersion, resourceVersionMatch: match, limit } = options;
  if (resourceVersion === '') return cluster.store.now(resource);
  const revision = readRevision(resourceVersion);
  // A page at a revision without a match rule means exactly that revision, for old clients.
  const exact = match === 'Exact' || (match === '' && limit > 0 && revision > 0);
  if (exact) {
    await waitUntilFresh(cluster, replica, revision, call.request.signal);
    const snapshot = cluster.store.at(resource, revision);
    if (!snapshot) throw expired('The resourceVersion for the provided list is too old.');
    return snapshot;
  }
  await waitForRequested(call, resourceVersion);
  return replica.snapshot(resource) ?? cluster.store.now(resource);
}

function nextPage(call: ResourceCall, options: ListOptions, selection: Selection): Page {
  const { resourceVersion, limit } = options;
  const continuation = decodeContinue(options.continue);
  if (resourceVersion !== '' && resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const resource = storageName(storageOf(call.kind));
  const snapshot =
    continuation.revision < 0
      ? call.cluster.store.now(resource)
      : call.cluster.store.at(resource, continuation.revision);
  if (!snapshot) throw expiredContinuation(options.continue);
  return readPage(call, snapshot, selection, limit, continuation.start, snapshot.revision);
}

/** Of a continue token whose revision is gone: a client may go on from here, if it accepts objects that changed in between. */
export function expiredContinuation(token: string): StatusError {
  const { start } = decodeContinue(token);
  const error = expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
      'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
      'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
      'deleted between the time the first chunk was returned and now may show up in the list.',
  );
  error.body.metadata.continue = encodeContinue({ revision: -1, start });
  return error;
}

function readPage(
  call: ResourceCall,
  snapshot: Snapshot,
  selection: Selection,
  limit: number,
  start: string,
  revision: number,
): Page {
  const keys = selection.key === undefined ? snapshot.keys(selection.prefix) : [selection.key];
  const metadata: ListMeta = { resourceVersion: String(revision) };
  const objects: KubeObject[] = [];
  const first = start === '' ? 0 : keys.findIndex((key) => selection.prefix + start <= key);
  for (let index = first < 0 ? keys.length : first; index < keys.length; index++) {
    const stored = snapshot.get(keys[index] as string);
    if (!stored || !selects(selection, call.kind, stored)) continue;
    if (limit > 0 && objects.length === limit) {
      const last = keys[index - 1] as string;
      metadata.continue = encodeContinue({ revision, start: `${last.slice(selection.prefix.length)}\0` });
      // With a selector the remaining count is unknown.
      if (!selection.matches) metadata.remainingItemCount = keys.length - index;
      break;
    }
    objects.push(shown(call.kind, stored));
  }
  return { objects, metadata };
}
