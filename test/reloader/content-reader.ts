/**
 * Reads ConfigMaps for pods, as a kubelet does when it starts their containers. KWOK does not, so its pods would behave
 * the same with any content.
 *
 * In: every event of pods and ConfigMaps. Out: an annotation on each pod that asks for it, which makes KWOK start it or
 * let it crash. A pod that crashed is looked at again some seconds after its ConfigMap changed, as its containers would be
 * restarted.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, ConflictError, getIfExists, kinds, NotFoundError } from '@reloader/runtime';
import { verdictAnnotation, verdicts } from '../control-plane/stages.ts';
import type { ChronicleObject } from './chronicle.ts';

/** Annotation of a pod with a `Content` as JSON: its containers crash while the ConfigMap has it. */
export const crashAnnotation = 'control-plane.test/crash-when';

interface Content {
  readonly name: string;
  readonly key: string;
  readonly value: string;
}

/** As a kubelet, which starts a crashed container again after 10 s at the earliest. */
const BACKOFF_MS = 10_000;

interface Crashed {
  readonly namespace: string;
  readonly name: string;
  readonly content: Content;
}

export class ContentReader {
  readonly #client: Client;
  /** By uid. */
  readonly #crashed = new Map<string, Crashed>();
  readonly #begun = new Set<string>();

  constructor(client: Client) {
    this.#client = client;
  }

  async note(type: string, kind: string, object: ChronicleObject): Promise<void> {
    const { namespace = '', name, uid, annotations = {} } = object.metadata;
    if (kind === 'ConfigMap') return this.#restart(namespace, name);
    if (kind !== 'Pod') return;
    if (type === 'DELETED') this.#crashed.delete(uid);
    const asked = annotations[crashAnnotation];
    const isScheduled = (object.spec as { nodeName?: string } | undefined)?.nodeName !== undefined;
    if (type === 'DELETED' || asked === undefined || !isScheduled || this.#begun.has(uid)) return;
    this.#begun.add(uid);
    const pod = { namespace, name, content: JSON.parse(asked) as Content };
    if (!(await this.#isBroken(pod))) return this.#decide(pod, verdicts.runs);
    this.#crashed.set(uid, pod);
    await this.#decide(pod, verdicts.crashes);
  }

  async #restart(namespace: string, configMap: string): Promise<void> {
    const readers = [...this.#crashed].filter(
      ([, pod]) => pod.namespace === namespace && pod.content.name === configMap,
    );
    if (readers.length === 0) return;
    await delay(BACKOFF_MS, undefined, { ref: false });
    for (const [uid, pod] of readers) {
      if (!this.#crashed.has(uid) || (await this.#isBroken(pod))) continue;
      this.#crashed.delete(uid);
      await this.#decide(pod, verdicts.recovers);
    }
  }

  async #isBroken({ namespace, content: { name, key, value } }: Crashed): Promise<boolean> {
    const found = await getIfExists(this.#client, kinds.ConfigMap, { namespace, name });
    return found?.data?.[key] === value;
  }

  async #decide({ namespace, name }: Crashed, verdict: string): Promise<void> {
    const body = { metadata: { annotations: { [verdictAnnotation]: verdict } } };
    try {
      await this.#client.patch(kinds.Pod, { namespace, name }, { type: 'merge', body });
    } catch (error) {
      // The pod was deleted meanwhile.
      if (!(error instanceof NotFoundError || error instanceof ConflictError)) throw error;
    }
  }
}
