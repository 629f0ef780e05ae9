/** The notebook as seen from outside: a bare watch receives every stored version of its ConfigMaps. */
import { type Client, createClient, kinds, loadConfig } from '@reloader/runtime';
import type { WorkloadRef } from '../packages/operator/src/reloader/model/workload.ts';
import { readNotes } from '../packages/operator/src/reloader/notebook/read.ts';
import type { ControlPlane } from '../test/control-plane/control-plane.ts';
import { OPERATOR_NAMESPACE } from './operator.ts';

const labelSelector = 'reloader.stakater.com/notes';
const namespace = OPERATOR_NAMESPACE;

export class WrittenNotes {
  readonly #client: Client;
  readonly #stop = new AbortController();
  /** Versions stored since the watch began, and the bytes of notes in them. */
  writes = 0;
  bytes = 0;
  largest = 0;

  static async watch(cluster: ControlPlane): Promise<WrittenNotes> {
    const notes = new WrittenNotes(
      createClient({ config: await loadConfig({ kubeconfig: cluster.kubeconfig }) }),
    );
    await notes.#follow();
    return notes;
  }

  private constructor(client: Client) {
    this.#client = client;
  }

  /** The number of workloads in each stored ConfigMap of the notebook. */
  async pieces(): Promise<number[]> {
    const { items } = await this.#client.list(kinds.ConfigMap, { namespace, labelSelector });
    return items.map(({ data = {} }) => Object.keys(data).length);
  }

  /** Resolves when this many workloads have a note. */
  async noted(workloads: number, timeout: number): Promise<void> {
    const deadline = performance.now() + timeout;
    for (;;) {
      const found = (await this.pieces()).reduce((sum, count) => sum + count, 0);
      if (found >= workloads) return;
      if (performance.now() > deadline) throw new Error(`${found} of ${workloads} workloads are noted`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  /** Reads the notes like an operator that begins to lead: one list, and each of these notes parsed. */
  async read(refs: readonly WorkloadRef[]): Promise<{ readonly ms: number; readonly found: number }> {
    const began = performance.now();
    const notes = await readNotes(this.#client, namespace, this.#stop.signal);
    const found = refs.filter((ref) => notes?.(ref).kind === 'note').length;
    return { ms: performance.now() - began, found };
  }

  /** Restores the state before the first start: no notes, and no digest key. */
  async forget(): Promise<void> {
    const { items } = await this.#client.list(kinds.ConfigMap, { namespace, labelSelector });
    for (const { metadata } of items)
      await this.#client.delete(kinds.ConfigMap, { namespace, name: metadata.name });
    await this.#client.delete(kinds.Secret, { namespace, name: 'reloader-digest-key' });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#client.close();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const { metadata } = await this.#client.list(kinds.ConfigMap, { namespace, labelSelector });
    let resourceVersion = metadata.resourceVersion ?? '';
    const open = () =>
      this.#client.watch(kinds.ConfigMap, { namespace, labelSelector, resourceVersion, signal });
    let stream = await open();
    const read = async (): Promise<void> => {
      for (;;) {
        for await (const event of stream) {
          if (event.type === 'BOOKMARK') continue;
          resourceVersion = event.object.metadata.resourceVersion;
          if (event.type !== 'DELETED') this.#count(event.object.data ?? {});
        }
        stream = await open();
      }
    };
    read().catch((error: unknown) => {
      if (!signal.aborted) console.error('A watch of the benchmark ended', error);
    });
  }

  #count(data: Readonly<Record<string, string>>): void {
    const size = Object.entries(data).reduce((sum, [key, text]) => sum + key.length + text.length, 0);
    this.writes += 1;
    this.bytes += size;
    this.largest = Math.max(this.largest, size);
  }
}
