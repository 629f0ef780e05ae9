/**
 * Stores notes as ConfigMaps of the operator's namespace: `reloader-notes-<namespace>.<n>`.
 *
 * In: pieces. Out: requests: list, get, create, and update with the resourceVersion as precondition, which the Role of
 * Stakater's chart allows; only `remove` deletes. A namespace has no dot in its name, so `shop-1.0` and `shop.1`
 * differ.
 */
import { type Client, kinds, listPages } from '@reloader/runtime';
import { FIELD_MANAGER, NOTES_LABEL } from '../model/annotations.ts';
import type { Piece, StoredPiece } from './pieces.ts';

const NAME = /^reloader-notes-(.+)\.(\d{1,6})$/;

export class NoteStore {
  readonly #client: Client;
  readonly #namespace: string;

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  nameOf({ namespace, index }: Pick<Piece, 'namespace' | 'index'>): string {
    return `reloader-notes-${namespace}.${index}`;
  }

  /** Without a resourceVersion in the request, the API server answers with the newest state. */
  async *list(signal: AbortSignal): AsyncGenerator<StoredPiece> {
    const options = { namespace: this.#namespace, labelSelector: NOTES_LABEL, signal };
    for await (const { items } of listPages(this.#client, kinds.ConfigMap, options)) {
      for (const { metadata, data = {} } of items) {
        const [, namespace, index] = NAME.exec(metadata.name) ?? [];
        if (namespace === undefined) continue;
        yield { namespace, index: Number(index), data, resourceVersion: metadata.resourceVersion };
      }
    }
  }

  /** By name: the resourceVersion of each stored piece. */
  async versions(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const options = { namespace: this.#namespace, labelSelector: NOTES_LABEL, metadataOnly: true, signal };
    const versions = new Map<string, string>();
    for await (const { items } of listPages(this.#client, kinds.ConfigMap, options)) {
      for (const { metadata } of items) versions.set(metadata.name, metadata.resourceVersion);
    }
    return versions;
  }

  async get(piece: Piece, signal: AbortSignal): Promise<StoredPiece> {
    const key = { namespace: this.#namespace, name: this.nameOf(piece) };
    const { metadata, data = {} } = await this.#client.get(kinds.ConfigMap, key, { signal });
    const { namespace, index } = piece;
    return { namespace, index, data, resourceVersion: metadata.resourceVersion };
  }

  async remove(name: string, signal: AbortSignal): Promise<void> {
    await this.#client.delete(kinds.ConfigMap, { namespace: this.#namespace, name }, { signal });
  }

  /** Returns the new resourceVersion. */
  async write(piece: Piece, signal: AbortSignal): Promise<string> {
    const { resourceVersion } = piece;
    const object = {
      metadata: {
        namespace: this.#namespace,
        name: this.nameOf(piece),
        labels: { [NOTES_LABEL]: 'true', 'app.kubernetes.io/managed-by': 'reloader' },
        ...(resourceVersion !== undefined && { resourceVersion }),
      },
      data: Object.fromEntries([...piece.entries].sort(([a], [b]) => (a < b ? -1 : 1))),
    };
    const options = { fieldManager: FIELD_MANAGER, signal };
    const stored =
      resourceVersion === undefined
        ? await this.#client.create(kinds.ConfigMap, object, options)
        : await this.#client.update(kinds.ConfigMap, object, options);
    return stored.metadata.resourceVersion;
  }
}
