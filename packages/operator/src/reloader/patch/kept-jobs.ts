/**
 * Manifests of Jobs that are being re-created, kept in ConfigMaps of the operator's namespace from before the old Job
 * is deleted until the new one exists. Whatever happens in between, the Job can be made from there.
 */
import {
  AlreadyExistsError,
  type Client,
  ForbiddenError,
  kinds,
  listPages,
  NotFoundError,
  type Stored,
} from '@reloader/runtime';
import { FIELD_MANAGER } from '../model/annotations.ts';
import type { RawJob } from './job-copy.ts';

export const KEPT_LABEL = 'reloader.stakater.com/kept-job';

export interface KeptJob {
  /** Of the Job that goes. */
  readonly uid: string;
  readonly job: RawJob;
  /** What the new one's ledger says, but for its uid. Absent in manifests of versions before. */
  readonly ledger?: string;
}

export class KeptJobs {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #here = new Set<string>();
  readonly #busy = new Set<string>();

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** This process kept a manifest and has not dropped it: a re-creation is under way, or was interrupted. */
  get any(): boolean {
    return this.#here.size > 0;
  }

  /** A re-creation of this process is under way: nobody else finishes it or takes its manifest away. */
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
    const metadata = {
      namespace: this.#namespace,
      name: this.nameFor(uid),
      labels: { [KEPT_LABEL]: 'true' },
    };
    this.#here.add(uid);
    const object = {
      metadata,
      data: { uid, job: JSON.stringify(job), ...(ledger !== undefined && { ledger }) },
    };
    const options = { fieldManager: FIELD_MANAGER, signal };
    try {
      await this.#client.create(kinds.ConfigMap, object, options);
    } catch (error) {
      // Of an earlier try: the newest manifest counts. Ours alone, so that a PUT overwrites nobody.
      if (!(error instanceof AlreadyExistsError)) throw error;
      await this.#client.update(kinds.ConfigMap, object, options);
    }
  }

  async drop(uid: string, signal: AbortSignal): Promise<void> {
    const key = { namespace: this.#namespace, name: this.nameFor(uid) };
    try {
      await this.#client.delete(kinds.ConfigMap, key, { signal });
    } catch (error) {
      if (!(error instanceof NotFoundError || error instanceof ForbiddenError)) throw error;
      if (error instanceof ForbiddenError) await this.#empty(key, signal);
    }
    this.#here.delete(uid);
  }

  /** Stakater's chart allows to create and update, not to delete: an empty one stays. */
  async #empty(
    key: { readonly namespace: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<void> {
    const metadata = { ...key, labels: { [KEPT_LABEL]: 'done' } };
    await this.#client.update(
      kinds.ConfigMap,
      { metadata, data: {} },
      { fieldManager: FIELD_MANAGER, signal },
    );
  }

  async *all(signal: AbortSignal): AsyncGenerator<KeptJob> {
    const options = { namespace: this.#namespace, labelSelector: `${KEPT_LABEL}=true`, signal };
    for await (const { items } of listPages(this.#client, kinds.ConfigMap, options)) {
      for (const item of items) {
        const kept = read(item);
        if (kept) yield kept;
      }
    }
  }
}

function read({ data = {} }: Stored<kinds.ConfigMapObject>): KeptJob | undefined {
  const { uid, job, ledger } = data;
  if (!uid || !job) return undefined;
  try {
    return { uid, job: JSON.parse(job) as RawJob, ...(ledger !== undefined && { ledger }) };
  } catch {
    return undefined;
  }
}
