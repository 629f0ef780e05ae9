/**
 * Decides which ConfigMap holds the history of each workload.
 *
 * In: keys of workloads and the sizes of their entries. Out: names of ConfigMaps. All entries are in one as long as
 * they fit; further entries go to further ConfigMaps, by namespace. An entry stays in its ConfigMap until it no longer
 * fits. Guarantees: a piece is at most 256 KB, unless a single entry is larger.
 */

export const HISTORY_CONFIG_MAP = 'reloader-history';
/** The label of all ConfigMaps but the first, to list them. */
export const HISTORY_LABEL = 'reloader.stakater.com/history';
/** Limits the cost of a change: it writes a whole piece, and etcd keeps each version for minutes. */
const MOST_PIECE_BYTES = 256_000;

export class HistoryPieces {
  readonly #placed = new Map<string, { readonly piece: string; readonly bytes: number }>();
  readonly #pieces = new Map<string, { bytes: number; readonly keys: Set<string> }>();

  /** The ConfigMap that holds it now. */
  of(key: string): string | undefined {
    return this.#placed.get(key)?.piece;
  }

  keysIn(piece: string): Iterable<string> {
    return this.#pieces.get(piece)?.keys ?? [];
  }

  /** The entry was read from this ConfigMap. */
  found(key: string, piece: string, bytes: number): void {
    this.remove(key);
    this.#put(key, piece, bytes);
  }

  /** The ConfigMap for an entry of this size. */
  place(key: string, bytes: number): string {
    const before = this.of(key);
    this.remove(key);
    const piece = before !== undefined && this.#fits(before, bytes) ? before : this.#roomFor(key, bytes);
    this.#put(key, piece, bytes);
    return piece;
  }

  remove(key: string): void {
    const placed = this.#placed.get(key);
    const piece = placed && this.#pieces.get(placed.piece);
    if (!piece) return;
    piece.bytes -= placed.bytes;
    piece.keys.delete(key);
    this.#placed.delete(key);
  }

  #put(key: string, name: string, bytes: number): void {
    const piece = this.#pieces.get(name) ?? { bytes: 0, keys: new Set() };
    piece.bytes += bytes;
    piece.keys.add(key);
    this.#pieces.set(name, piece);
    this.#placed.set(key, { piece: name, bytes });
  }

  #fits(name: string, bytes: number): boolean {
    const { bytes: there, keys } = this.#pieces.get(name) ?? { bytes: 0, keys: new Set() };
    return keys.size === 0 || there + bytes <= MOST_PIECE_BYTES;
  }

  #roomFor(key: string, bytes: number): string {
    if (this.#fits(HISTORY_CONFIG_MAP, bytes)) return HISTORY_CONFIG_MAP;
    const [, namespace = ''] = key.split('/');
    for (let number = 0; ; number++) {
      const name = `${HISTORY_CONFIG_MAP}-${namespace}.${number}`;
      if (this.#fits(name, bytes)) return name;
    }
  }
}
