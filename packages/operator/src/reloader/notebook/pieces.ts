/**
 * Distributes the notes of one operator over pieces: a piece is the data of one ConfigMap. No I/O.
 *
 * In: texts by workload, and the stored pieces. Out: the data of each piece, and which pieces have to be written.
 * Guarantees: a piece is at most 32 KB, unless a single note is larger; a note that moves to another piece stays in its
 * old one until the new one is stored, so that after a crash in between it exists twice and is never lost.
 */
import { hashed } from '../model/hashed.ts';
import { type WorkloadKind, type WorkloadRef, workloadKey } from '../model/workload.ts';

export const LARGEST_PIECE_BYTES = 32_768;
/** Twice the most that we write; our notes have more than a hundred bytes. Anything beyond is not ours: skip it. */
const MOST_READ = { bytes: 2 * LARGEST_PIECE_BYTES, notes: 600 };
/** Kubernetes' limit for a key in the data of a ConfigMap. */
const LONGEST_KEY = 253;

export interface Piece {
  readonly namespace: string;
  readonly index: number;
  /** By data key. */
  readonly entries: Map<string, string>;
  bytes: number;
  /** Undefined: as far as we know, it does not exist on the API server. */
  resourceVersion: string | undefined;
  /** Counts changes. The stored piece is up to date if `stored` equals it. */
  revision: number;
  stored: number;
}

interface Place {
  piece: Piece;
  readonly key: string;
}

export class Pieces {
  /** By namespace. */
  readonly #pieces = new Map<string, Piece[]>();
  /** By workload key: the current place of its note. */
  readonly #places = new Map<string, Place>();
  /** By new piece: the copies that stay in an old piece until the new one is stored. */
  readonly #leaving = new Map<Piece, { readonly from: Piece; readonly key: string }[]>();

  get size(): number {
    return this.#places.size;
  }

  *all(): Iterable<Piece> {
    for (const pieces of this.#pieces.values()) yield* pieces;
  }

  *workloads(): Iterable<WorkloadRef> {
    for (const key of this.#places.keys()) {
      const [kind, namespace = '', name = ''] = key.split('/');
      yield { kind: kind as WorkloadKind, namespace, name };
    }
  }

  get(ref: WorkloadRef): string | undefined {
    const place = this.#places.get(workloadKey(ref));
    return place?.piece.entries.get(place.key);
  }

  pieceOf(ref: WorkloadRef): Piece | undefined {
    return this.#places.get(workloadKey(ref))?.piece;
  }

  /** Returns the pieces that have to be written. */
  put(ref: WorkloadRef, text: string): readonly Piece[] {
    const id = workloadKey(ref);
    const key = dataKey(ref);
    const size = sizeOf(key, text);
    const place = this.#places.get(id);
    if (place) {
      const others = place.piece.bytes - sizeIn(place.piece, key);
      if (isRoomFor(size, others)) {
        set(place.piece, key, text, others + size);
        return [place.piece];
      }
    }
    const target = this.#roomFor(ref.namespace, key, size);
    set(target, key, text, target.bytes - sizeIn(target, key) + size);
    this.#places.set(id, { piece: target, key });
    if (!place) return [target];
    // The old piece keeps its entry until the copy is stored.
    this.#leaving.set(target, [...(this.#leaving.get(target) ?? []), { from: place.piece, key }]);
    return [target];
  }

  remove(ref: WorkloadRef): readonly Piece[] {
    const id = workloadKey(ref);
    const place = this.#places.get(id);
    if (!place) return [];
    this.#places.delete(id);
    unset(place.piece, place.key);
    return [place.piece];
  }

  /** Loads a stored piece. If a note exists twice, `isNewer` decides. Returns the pieces that have to be written. */
  load(
    { namespace, index, data, resourceVersion }: StoredPiece,
    isNewer: (text: string, than: string) => boolean,
  ): readonly Piece[] {
    const piece = this.#pieceAt(namespace, index);
    piece.resourceVersion = resourceVersion;
    const dirty = new Set<Piece>();
    for (const [key, text] of readable(data)) {
      const ref = refOfEntry(namespace, key, text);
      if (!ref) continue;
      const id = workloadKey(ref);
      const known = this.#places.get(id);
      const standing = known && known.piece !== piece ? known.piece.entries.get(known.key) : undefined;
      if (known && standing !== undefined && !isNewer(text, standing)) {
        touch(piece);
        dirty.add(piece);
        continue;
      }
      if (known && standing !== undefined) {
        unset(known.piece, known.key);
        dirty.add(known.piece);
      }
      piece.entries.set(key, text);
      piece.bytes += sizeOf(key, text);
      this.#places.set(id, { piece, key });
    }
    return [...dirty];
  }

  /** The stored piece is not what we wrote. */
  rewrite(piece: Piece): void {
    touch(piece);
  }

  /** This piece is stored. Returns the pieces that have to be written now. */
  storedAs(piece: Piece, revision: number, resourceVersion: string): readonly Piece[] {
    piece.stored = revision;
    piece.resourceVersion = resourceVersion;
    const left = this.#leaving.get(piece) ?? [];
    this.#leaving.delete(piece);
    for (const { from, key } of left) unset(from, key);
    return left.map(({ from }) => from);
  }

  /**
   * Drops an empty piece from memory, so that deleted namespaces leave none behind. True if it did. Its ConfigMap stays
   * on the API server, and is used again if the namespace needs one.
   */
  drop(piece: Piece): boolean {
    const isInUse = [...this.#leaving.values()].some((copies) => copies.some(({ from }) => from === piece));
    if (piece.entries.size > 0 || isDirty(piece) || isInUse) return false;
    const others = (this.#pieces.get(piece.namespace) ?? []).filter((other) => other !== piece);
    if (others.length > 0) this.#pieces.set(piece.namespace, others);
    else this.#pieces.delete(piece.namespace);
    return true;
  }

  #roomFor(namespace: string, key: string, size: number): Piece {
    const pieces = this.#pieces.get(namespace) ?? [];
    const found = pieces.findLast((piece) => isRoomFor(size, piece.bytes - sizeIn(piece, key)));
    if (found) return found;
    const used = new Set(pieces.map(({ index }) => index));
    let index = 0;
    while (used.has(index)) index += 1;
    return this.#pieceAt(namespace, index);
  }

  #pieceAt(namespace: string, index: number): Piece {
    const pieces = this.#pieces.get(namespace) ?? [];
    this.#pieces.set(namespace, pieces);
    const known = pieces.find((piece) => piece.index === index);
    if (known) return known;
    const piece: Piece = {
      namespace,
      index,
      entries: new Map(),
      bytes: 0,
      resourceVersion: undefined,
      revision: 0,
      stored: 0,
    };
    pieces.push(piece);
    return piece;
  }
}

/** Bounds the work: any user who may write ConfigMaps there could store one that is larger than any of ours. */
function* readable(data: Readonly<Record<string, string>>): Iterable<readonly [string, string]> {
  let [bytes, notes] = [0, 0];
  for (const [key, text] of Object.entries(data)) {
    if (bytes + text.length > MOST_READ.bytes) continue;
    if (notes >= MOST_READ.notes) return;
    bytes += text.length;
    notes += 1;
    yield [key, text];
  }
}

export interface StoredPiece {
  readonly namespace: string;
  readonly index: number;
  readonly data: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
}

export function isDirty({ revision, stored }: Piece): boolean {
  return revision !== stored;
}

/** A piece exceeds the limit only if it holds a single note. `others`: the bytes of its other notes. */
function isRoomFor(size: number, others: number): boolean {
  return others === 0 || others + size <= LARGEST_PIECE_BYTES;
}

/** `bytes`: of the piece with it. The caller has counted them already, which costs more than all the rest. */
function set(piece: Piece, key: string, text: string, bytes: number): void {
  piece.entries.set(key, text);
  piece.bytes = bytes;
  touch(piece);
}

function unset(piece: Piece, key: string): void {
  piece.bytes -= sizeIn(piece, key);
  if (piece.entries.delete(key)) touch(piece);
}

function sizeIn(piece: Piece, key: string): number {
  const text = piece.entries.get(key);
  return text === undefined ? 0 : sizeOf(key, text);
}

function touch(piece: Piece): void {
  piece.revision += 1;
}

/** The size in the JSON of the ConfigMap, where quotes are escaped. */
function sizeOf(key: string, text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) + key.length + 4;
}

/** `Deployment.web`; a name that is too long is cut and gets a hash, and its note holds the full name. */
export function dataKey({ kind, name }: Pick<WorkloadRef, 'kind' | 'name'>): string {
  const plain = `${kind}.${name}`;
  if (plain.length <= LONGEST_KEY) return plain;
  const digest = hashed('sha256', name, 'hex').slice(0, 16);
  return `${plain.slice(0, LONGEST_KEY - digest.length - 1)}_${digest}`;
}

/** The full name, if it does not fit in the key. */
export function nameBeside(ref: Pick<WorkloadRef, 'kind' | 'name'>): { name?: string } {
  return dataKey(ref) === `${ref.kind}.${ref.name}` ? {} : { name: ref.name };
}

export function refOfEntry(namespace: string, key: string, text: string): WorkloadRef | undefined {
  const dot = key.indexOf('.');
  if (dot < 1) return undefined;
  const kind = key.slice(0, dot) as WorkloadKind;
  const name = key.includes('_') ? nameIn(text) : key.slice(dot + 1);
  return name === undefined ? undefined : { kind, namespace, name };
}

function nameIn(text: string): string | undefined {
  try {
    const { w } = JSON.parse(text) as { w?: unknown };
    return typeof w === 'string' ? w : undefined;
  } catch {
    return undefined;
  }
}
