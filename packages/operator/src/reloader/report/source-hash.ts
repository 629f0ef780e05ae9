/**
 * Writes the digest of a changed source to its annotation `last-hash`, with --write-source-hash.
 *
 * In: changes. Out: one merge patch for each source, with the newest digest only. It never delays a reload. A failed
 * write is logged and not retried, because the next change writes the annotation anyway.
 */
import {
  type Client,
  ForbiddenError,
  kinds,
  type Logger,
  NotFoundError,
  type ResourceType,
  type Runnable,
  type RunSignals,
} from '@reloader/runtime';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { SourceKind } from '../model/source.ts';
import type { PipelineReporter } from './reporter.ts';

/** No SecretProviderClass: its digest comes from the pods that mount it, so there is no object to annotate. */
const TYPES: Readonly<Partial<Record<SourceKind, ResourceType>>> = {
  Secret: kinds.Secret,
  ConfigMap: kinds.ConfigMap,
};

interface Wanted {
  readonly type: ResourceType;
  readonly key: { readonly namespace: string; readonly name: string };
  readonly digest: string;
}

export class SourceHashWriter implements Runnable, Partial<PipelineReporter> {
  readonly name = 'source hashes';
  readonly needsLeaderElection = true;
  readonly #client: Client;
  readonly #logger: Logger;
  readonly #wanted = new Map<string, Wanted>();
  #wake: (() => void) | undefined;
  /** Only the leader writes; it sees the same changes as the other replicas. */
  #leads = false;
  #saidForbidden = false;

  constructor(client: Client, logger: Logger) {
    this.#client = client;
    this.#logger = logger;
  }

  sourceChanged(
    kind: SourceKind,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    oldDigest: string | undefined,
    newDigest: string | undefined,
  ): void {
    const type = TYPES[kind];
    if (!this.#leads || !type || newDigest === undefined || newDigest === oldDigest) return;
    this.#wanted.set(`${kind}/${namespace}/${name}`, { type, key: { namespace, name }, digest: newDigest });
    this.#wake?.();
  }

  async start({ stopping, abort }: RunSignals): Promise<void> {
    this.#leads = true;
    const onStop = (): void => this.#wake?.();
    stopping.addEventListener('abort', onStop, { once: true });
    try {
      while (!stopping.aborted) {
        const [next] = this.#wanted;
        if (!next) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          continue;
        }
        this.#wanted.delete(next[0]);
        await this.#write(next[1], abort);
      }
    } finally {
      this.#leads = false;
      stopping.removeEventListener('abort', onStop);
    }
  }

  async #write({ type, key, digest }: Wanted, signal: AbortSignal): Promise<void> {
    const body = { metadata: { annotations: { [FIXED_ANNOTATIONS.lastHash]: digest } } };
    try {
      await this.#client.patch(type, key, { type: 'merge', body }, { signal });
    } catch (error) {
      if (error instanceof NotFoundError || signal.aborted) return;
      if (error instanceof ForbiddenError) {
        if (this.#saidForbidden) return;
        this.#saidForbidden = true;
      }
      this.#logger.warn('The digest could not be written to the source', { kind: type.kind, ...key, error });
    }
  }
}
