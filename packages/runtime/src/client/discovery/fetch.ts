/** Fetches discovery: two requests if the server supports aggregated discovery, else one per group and version. */
import type { Logger } from '../../logging/logger.ts';
import type { Client } from '../client.ts';
import { isRecord, parseJson, readText } from '../decode/json.ts';
import { NotFoundError } from '../errors.ts';
import {
  type DiscoveredResource,
  fromAggregated,
  fromResourceList,
  type GroupVersion,
  groupVersions,
} from './documents.ts';

const AGGREGATED = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',');
/** A cluster with hundreds of CRDs has a few megabytes of discovery documents. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface FetchOptions {
  readonly signal?: AbortSignal | undefined;
  readonly logger?: Logger | undefined;
}

export async function fetchResources(client: Client, options: FetchOptions): Promise<DiscoveredResource[]> {
  const [core, groups] = await Promise.all([root(client, '/api', options), root(client, '/apis', options)]);
  return [...core, ...groups];
}

export async function getJson(
  client: Client,
  path: string,
  accept = 'application/json',
  signal?: AbortSignal,
): Promise<unknown> {
  const response = await client.raw({ method: 'GET', path, headers: { accept }, ...(signal && { signal }) });
  const what = `The answer to GET ${path}`;
  return parseJson(await readText(response.body, MAX_BYTES, what), what);
}

async function root(client: Client, path: string, options: FetchOptions): Promise<DiscoveredResource[]> {
  const document = await getJson(client, path, `${AGGREGATED},application/json`, options.signal);
  if (isRecord(document) && document.kind === 'APIGroupDiscoveryList') return fromAggregated(document);
  const found = await Promise.all(groupVersions(document).map((one) => resourcesOf(client, one, options)));
  return found.flat();
}

async function resourcesOf(
  client: Client,
  one: GroupVersion,
  options: FetchOptions,
): Promise<DiscoveredResource[]> {
  const path = one.group ? `/apis/${one.group}/${one.version}` : `/api/${one.version}`;
  try {
    return fromResourceList(await getJson(client, path, undefined, options.signal), one);
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    // An extension server that is down, or a group that was just removed, must not hide all others.
    if (!(error instanceof NotFoundError)) {
      options.logger?.warn('Discovery of one API group failed, its resources are unknown', { path, error });
    }
    return [];
  }
}
