/**
 * Discovery: the resources that the server serves.
 *
 * In: a client. Out: resources by kind. Guarantees: an unknown kind is looked up again before it is reported missing,
 * so that a CRD installed a moment ago is found; concurrent lookups share one round of requests. Does not notice by
 * itself that a known kind was removed.
 */
import type { Logger } from '../../logging/logger.ts';
import { abortable } from '../abort.ts';
import type { Client } from '../client.ts';
import { apiVersionOf, type ResourceType } from '../resource.ts';
import type { DiscoveredResource } from './documents.ts';
import { fetchResources, getJson } from './fetch.ts';

/** A kind as in a manifest. */
export interface KindReference {
  /** `group/version`, or `version` in the core group. */
  readonly apiVersion: string;
  readonly kind: string;
}

/** The server serves no such kind. */
export class UnknownKindError extends Error {
  override name = 'UnknownKindError';
}

/** Resources that the server serves. */
export interface Discovery {
  /** Everything known now. */
  readonly resources: readonly DiscoveredResource[];
  /** Throws an `UnknownKindError` if the server does not serve it even after a second lookup. */
  resolveKind(reference: KindReference, signal?: AbortSignal): Promise<ResourceType>;
  /** Whether the server serves a resource. */
  hasResource(type: ResourceType, signal?: AbortSignal): Promise<boolean>;
  /** Asks the server again. */
  refresh(signal?: AbortSignal): Promise<void>;
}

/** Options of discovery. */
export interface DiscoverOptions {
  readonly signal?: AbortSignal | undefined;
  readonly logger?: Logger | undefined;
}

/** Resolves after the first round of requests. */
export async function discover(client: Client, options: DiscoverOptions = {}): Promise<Discovery> {
  const discovery = new CachedDiscovery(client, options.logger);
  await discovery.refresh(options.signal);
  return discovery;
}

/** The answer of `/version`. */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly platform?: string;
}

/** The version of the API server. */
export async function serverVersion(client: Client, signal?: AbortSignal): Promise<ServerVersion> {
  return (await getJson(client, '/version', undefined, signal)) as ServerVersion;
}

class CachedDiscovery implements Discovery {
  readonly #client: Client;
  readonly #logger: Logger | undefined;
  #resources: readonly DiscoveredResource[] = [];
  #byKind = new Map<string, DiscoveredResource>();
  #refreshing: Promise<void> | undefined;

  constructor(client: Client, logger: Logger | undefined) {
    this.#client = client;
    this.#logger = logger;
  }

  get resources(): readonly DiscoveredResource[] {
    return this.#resources;
  }

  async resolveKind(reference: KindReference, signal?: AbortSignal): Promise<ResourceType> {
    const found = await this.#find(`${reference.apiVersion} ${reference.kind}`, signal);
    if (!found) {
      throw new UnknownKindError(
        `The server serves no ${reference.kind} in ${reference.apiVersion}: install its CustomResourceDefinition, or check apiVersion and kind`,
      );
    }
    const { group, version, kind, plural, namespaced } = found;
    return { group, version, kind, plural, namespaced };
  }

  async hasResource(type: ResourceType, signal?: AbortSignal): Promise<boolean> {
    const found = await this.#find(`${apiVersionOf(type)} ${type.kind}`, signal);
    return found?.plural === type.plural;
  }

  refresh(signal?: AbortSignal): Promise<void> {
    this.#refreshing ??= this.#load().finally(() => {
      this.#refreshing = undefined;
    });
    return abortable(this.#refreshing, signal);
  }

  async #find(key: string, signal: AbortSignal | undefined): Promise<DiscoveredResource | undefined> {
    const known = this.#byKind.get(key);
    if (known) return known;
    await this.refresh(signal);
    return this.#byKind.get(key);
  }

  async #load(): Promise<void> {
    const resources = await fetchResources(this.#client, { logger: this.#logger });
    this.#resources = resources;
    // Reversed, so that the first of several resources with the same kind wins.
    this.#byKind = new Map(resources.toReversed().map((resource) => [keyOf(resource), resource]));
  }
}

function keyOf(resource: DiscoveredResource): string {
  return `${apiVersionOf(resource)} ${resource.kind}`;
}
