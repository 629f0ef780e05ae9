/**
 * Manifests of Jobs that are being re-created, kept in Secrets of the operator's namespace from before the old Job is
 * deleted until the new one exists. After a crash in between, the Job is created from its manifest.
 *
 * A manifest may hold passwords, and the Job made from it runs under any service account that it names. So it is kept
 * in a Secret, with a code that only a holder of the digest key can make, over the manifest, its place and the Job's
 * name, namespace and uid. A manifest with another code, under another name, or for a namespace out of scope is not
 * used, and a warning is logged. Without the right to write Secrets it is a ConfigMap. Without a key, any user who may
 * write there can have any Job created: the operator's namespace is then the security boundary, and a warning is
 * logged.
 */
import {
  AlreadyExistsError,
  type Client,
  ForbiddenError,
  type KubernetesObject,
  kinds,
  type Logger,
  listPages,
  NotFoundError,
  type ResourceType,
} from '@reloader/runtime';
import { FIELD_MANAGER } from '../model/annotations.ts';
import type { RawJob } from './job-copy.ts';
import { codeOf, type KeptFields, sameCode } from './kept-job-code.ts';

export const KEPT_LABEL = 'reloader.stakater.com/kept-job';

export interface KeptJob {
  /** The uid of the Job that is deleted. */
  readonly uid: string;
  readonly job: RawJob;
  /** The ledger of the new Job, without its uid. Absent in manifests of earlier versions. */
  readonly ledger?: string;
}

export interface KeptJobsOptions {
  readonly client: Client;
  /** The operator's own namespace. */
  readonly namespace: string;
  /** A key that outlives the process; undefined if there is none. */
  readonly key: Uint8Array | undefined;
  /** The key before the last rotation, to finish a re-creation that was interrupted before the rotation. */
  readonly previousKey?: Uint8Array | undefined;
  /** Whether this operator manages a namespace. */
  readonly inScope: (namespace: string) => boolean;
  readonly logger: Logger;
}

interface Keeper extends KubernetesObject {
  data?: Record<string, string>;
}

/** The kinds that hold manifests, in order of preference. Values of a Secret are base64. */
const PLACES: readonly { readonly type: ResourceType<Keeper>; readonly encoding: 'base64' | 'utf8' }[] = [
  { type: kinds.Secret as ResourceType<Keeper>, encoding: 'base64' },
  { type: kinds.ConfigMap as ResourceType<Keeper>, encoding: 'utf8' },
];

export class KeptJobs {
  readonly #options: KeptJobsOptions;
  readonly #here = new Set<string>();
  readonly #busy = new Set<string>();
  readonly #told = new Set<string>();

  constructor(options: KeptJobsOptions) {
    this.#options = options;
  }

  /** This process has kept a manifest and not deleted it yet: a re-creation is under way, or was interrupted. */
  get any(): boolean {
    return this.#here.size > 0;
  }

  /** A re-creation in this process is under way, so `finishInterruptedJobs` skips it. */
  isBusy(uid: string): boolean {
    return this.#busy.has(uid);
  }

  async whileBusy<T>(uid: string, work: () => Promise<T>): Promise<T> {
    this.#busy.add(uid);
    try {
      return await work();
    } finally {
      this.#busy.delete(uid);
    }
  }

  nameFor(uid: string): string {
    return `reloader-job-${uid}`;
  }

  async keep({ uid, job, ledger }: KeptJob, signal: AbortSignal): Promise<void> {
    const { key } = this.#options;
    const fields: KeptFields = { uid, job: JSON.stringify(job), ...(ledger !== undefined && { ledger }) };
    if (!key) this.#tellThatTheNamespaceIsTheBoundary();
    const code = key && codeOf(key, this.#placeOf(uid), fields);
    this.#here.add(uid);
    try {
      await this.#write(0, uid, { ...fields, ...(code && { code }) }, signal);
    } catch (error) {
      if (!(error instanceof ForbiddenError)) throw error;
      await this.#write(1, uid, { ...fields, ...(code && { code }) }, signal);
      this.#tellOnce(
        'Manifests of Jobs are kept in ConfigMaps, with the values that stand in them: let the operator create, update, list and delete Secrets in its namespace',
        { error: error.message },
      );
    }
  }

  async drop(uid: string, signal: AbortSignal): Promise<void> {
    for (const { type } of PLACES) {
      try {
        await this.#options.client.delete(type, this.#placeOf(uid), { signal });
        break;
      } catch (error) {
        if (!(error instanceof NotFoundError || error instanceof ForbiddenError)) throw error;
        if (error instanceof ForbiddenError) await this.#empty(type, uid, signal);
      }
    }
    this.#here.delete(uid);
  }

  /** Stakater's chart allows creating and updating ConfigMaps, not deleting them: an empty one stays. */
  async #empty(type: ResourceType<Keeper>, uid: string, signal: AbortSignal): Promise<void> {
    const metadata = { ...this.#placeOf(uid), labels: { [KEPT_LABEL]: 'done' } };
    try {
      await this.#options.client.update(
        type,
        { metadata, data: {} },
        { fieldManager: FIELD_MANAGER, signal },
      );
    } catch (error) {
      if (!(error instanceof NotFoundError || error instanceof ForbiddenError)) throw error;
    }
  }

  async *all(signal: AbortSignal): AsyncGenerator<KeptJob> {
    const { client, namespace } = this.#options;
    const options = { namespace, labelSelector: `${KEPT_LABEL}=true`, signal };
    for (const { type, encoding } of PLACES) {
      try {
        for await (const { items } of listPages(client, type, options)) {
          for (const item of items) {
            const kept = this.#read(item.metadata.name, decoded(item.data ?? {}, encoding), type.kind);
            if (kept) yield kept;
          }
        }
      } catch (error) {
        if (!(error instanceof ForbiddenError)) throw error;
      }
    }
  }

  /** Undefined, with a warning in the log, if this operator did not keep it. */
  #read(name: string, data: Readonly<Record<string, string>>, kind: string): KeptJob | undefined {
    const { key, previousKey, inScope } = this.#options;
    const { uid, job, ledger, code } = data;
    const refuse = (why: string): undefined =>
      this.#tellOnce(`A kept manifest of a Job is not used: ${why}`, { kind, name });
    if (!uid || !job) return undefined;
    if (name !== this.nameFor(uid)) return refuse('it stands under the name of another');
    const fields: KeptFields = { uid, job, ...(ledger !== undefined && { ledger }) };
    const isOurs = (own: Uint8Array): boolean => sameCode(code, codeOf(own, this.#placeOf(uid), fields));
    if (key && !isOurs(key) && !(previousKey && isOurs(previousKey)))
      return refuse('this operator did not write it; if the Job is missing, create it from there by hand');
    const manifest = jobFrom(job);
    if (!manifest) return refuse('it holds no Job');
    if (!inScope(manifest.metadata?.namespace ?? '')) return refuse('it is for a namespace that is not ours');
    if (!key) this.#tellThatTheNamespaceIsTheBoundary();
    return { uid, job: manifest, ...(ledger !== undefined && { ledger }) };
  }

  async #write(
    place: 0 | 1,
    uid: string,
    fields: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { type, encoding } = PLACES[place] as (typeof PLACES)[number];
    const metadata = { ...this.#placeOf(uid), labels: { [KEPT_LABEL]: 'true' } };
    const object: Keeper = { metadata, data: encoded(fields, encoding) };
    const options = { fieldManager: FIELD_MANAGER, signal };
    const { client } = this.#options;
    try {
      await client.create(type, object, options);
    } catch (error) {
      // It is from an earlier attempt: the newest manifest counts. Only we write this object, so a PUT is safe.
      if (!(error instanceof AlreadyExistsError)) throw error;
      await client.update(type, { ...object, metadata }, options);
    }
  }

  #placeOf(uid: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#options.namespace, name: this.nameFor(uid) };
  }

  #tellThatTheNamespaceIsTheBoundary(): void {
    this.#tellOnce(
      'Manifests of Jobs are kept without a code: everybody who may write to this namespace can have any Job created. Allow the operator to create its digest key',
      {},
    );
  }

  #tellOnce(message: string, values: Readonly<Record<string, unknown>>): undefined {
    const text = `${message} ${JSON.stringify(values)}`;
    if (!this.#told.has(text)) this.#options.logger.warn(message, values);
    this.#told.add(text);
    return undefined;
  }
}

function jobFrom(text: string): RawJob | undefined {
  try {
    const job = JSON.parse(text) as RawJob;
    return job?.metadata?.namespace && job.metadata.name && job.kind === 'Job' ? job : undefined;
  } catch {
    return undefined;
  }
}

function encoded(
  fields: Readonly<Record<string, string>>,
  encoding: 'base64' | 'utf8',
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [name, Buffer.from(text).toString(encoding)]),
  );
}

function decoded(
  data: Readonly<Record<string, string>>,
  encoding: 'base64' | 'utf8',
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([name, text]) => [name, Buffer.from(text, encoding).toString()]),
  );
}
