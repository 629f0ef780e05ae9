/**
 * Copies of ConfigMaps whose content worked, to restore them if the next content fails.
 *
 * In: a ConfigMap with the digest of a content that works. Out: an immutable ConfigMap in its namespace, named by that
 * digest and owned by the source, so that Kubernetes deletes both together; two copies at most. Guarantees: a copy has
 * exactly the content with that digest; making it is idempotent; each content costs its requests once in a process,
 * however many workloads use it.
 */
import { createHash } from 'node:crypto';
import { AlreadyExistsError, type Client, type kinds, NotFoundError, type Stored } from '@reloader/runtime';
import { configMapFacts } from '../digest/source-projection.ts';
import { ownerOf } from '../evidence/owners.ts';
import { type AnnotationNames, FIELD_MANAGER, KEPT_LABEL } from '../model/annotations.ts';
import { ConfigMaps } from '../model/kinds.ts';
import { type SourceRef, sourceKey } from '../model/source.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import { outcomeOf } from './outcome.ts';

export type ConfigMap = Stored<kinds.ConfigMapObject>;

export interface KeptCopiesOptions {
  /** The client for writes; with leader election a fenced one. */
  readonly client: Pick<Client, 'list' | 'create' | 'delete'>;
  readonly names: AnnotationNames;
}

const MOST_COPIES = 2;
const DIGEST_LENGTH = 8;
const LONGEST_NAME = 253;
const LONGEST_LABEL = 63;

/** `settings.reloader-1a2b3c4d`: the same content has the same name. */
export function copyName(name: string, digest: string): string {
  const suffix = `.reloader-${hash(digest).slice(0, DIGEST_LENGTH)}`;
  const room = LONGEST_NAME - suffix.length;
  if (name.length <= room) return `${name}${suffix}`;
  const cut = `${name.slice(0, room - DIGEST_LENGTH - 1)}-${hash(name).slice(0, DIGEST_LENGTH)}`;
  return `${cut}${suffix}`;
}

/** A label value allows fewer characters than a name. */
export function copyLabel(name: string): string {
  return name.length <= LONGEST_LABEL ? name : `${hash(name).slice(0, LONGEST_LABEL - 1)}x`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export class KeptCopies {
  readonly #options: KeptCopiesOptions;
  /** By source: uid and digest of the content that is already processed. */
  readonly #known = new Map<string, string>();
  readonly #keeping = new Map<string, Promise<string | undefined>>();

  constructor(options: KeptCopiesOptions) {
    this.#options = options;
  }

  /** Makes sure that there is a copy, unless none is needed. Returns why none can be made, as a message. */
  async keep(facts: SourceFacts, signal: AbortSignal): Promise<string | undefined> {
    const { metadata, digest } = facts;
    const source = keyOfFacts(facts);
    const content = `${metadata.uid} ${digest}`;
    if (this.#known.get(source) === content) return undefined;
    const open = this.#keeping.get(source);
    if (open) return open;
    const kept = this.#keep(facts, signal)
      .then((problem) => {
        if (problem === undefined) this.#known.set(source, content);
        return problem;
      })
      .finally(() => this.#keeping.delete(source));
    this.#keeping.set(source, kept);
    return kept;
  }

  /** The copies that this source (uid) owns, the oldest first. */
  async of({ namespace, name }: SourceRef, uid: string, signal: AbortSignal): Promise<readonly ConfigMap[]> {
    const { client } = this.#options;
    const labelSelector = `${KEPT_LABEL}=${copyLabel(name)}`;
    const { items } = await client.list(ConfigMaps, { namespace, labelSelector, signal });
    return (items as ConfigMap[])
      .filter((copy) => copy.metadata.ownerReferences?.some((owner) => owner.uid === uid))
      .sort(byAge);
  }

  async #keep(facts: SourceFacts, signal: AbortSignal): Promise<string | undefined> {
    const ref = refOfFacts(facts);
    const copies = await this.of(ref, facts.metadata.uid, signal);
    const name = copyName(ref.name, facts.digest);
    if (copies.some(({ metadata }) => metadata.name === name)) return undefined;
    const source = await readConfigMap(this.#options.client, ref, signal);
    // Newer content gets its own pass. A ConfigMap with an owner is never restored, so it needs no copy.
    if (!source || digestOf(source, this.#options.names) !== facts.digest) return undefined;
    if (source.immutable || facts.generated || ownerOf(source) !== undefined) return undefined;
    try {
      for (const copy of copies.slice(0, Math.max(0, copies.length + 1 - MOST_COPIES)))
        await this.#remove(copy, signal);
      await this.#create(source, name, signal);
      return undefined;
    } catch (error) {
      const refused = outcomeOf(error);
      return 'message' in refused && refused.kind !== 'conflict' ? refused.message : undefined;
    }
  }

  async #create({ metadata, data, binaryData }: ConfigMap, name: string, signal: AbortSignal): Promise<void> {
    const { namespace = '', uid } = metadata;
    const copy: kinds.ConfigMapObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name,
        namespace,
        labels: { [KEPT_LABEL]: copyLabel(metadata.name), 'app.kubernetes.io/managed-by': 'reloader' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: metadata.name, uid }],
      },
      immutable: true,
      ...(data && { data }),
      ...(binaryData && { binaryData }),
    };
    const { client } = this.#options;
    try {
      await client.create(ConfigMaps, copy, { fieldManager: FIELD_MANAGER, signal });
    } catch (error) {
      if (!(error instanceof AlreadyExistsError)) throw error;
    }
  }

  async #remove({ metadata: { namespace = '', name, uid } }: ConfigMap, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.client.delete(ConfigMaps, { namespace, name }, { preconditions: { uid }, signal });
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  }
}

/** Lists with a field selector, because the operator always has the right to list ConfigMaps, but not to get them. */
export async function readConfigMap(
  client: Pick<Client, 'list'>,
  { namespace, name }: SourceRef,
  signal: AbortSignal,
): Promise<ConfigMap | undefined> {
  const one = { namespace, fieldSelector: `metadata.name=${name}`, signal };
  const [map] = (await client.list(ConfigMaps, one)).items;
  return map as ConfigMap | undefined;
}

function digestOf(map: ConfigMap, names: AnnotationNames): string {
  return configMapFacts(map, { names, key: undefined }).digest;
}

function byAge(one: ConfigMap, other: ConfigMap): number {
  const [a, b] = [one, other].map(({ metadata }) => `${metadata.creationTimestamp} ${metadata.name}`);
  return (a ?? '') < (b ?? '') ? -1 : 1;
}

function refOfFacts({ kind, metadata: { namespace, name } }: SourceFacts): SourceRef {
  return { kind, namespace, name };
}

const keyOfFacts = (facts: SourceFacts): string => sourceKey(refOfFacts(facts));
