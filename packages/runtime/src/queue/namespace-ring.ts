/**
 * Keys of one priority, served namespace by namespace in turns, and first come first served within each.
 *
 * All links are kept in the keys and groups themselves, so that every operation takes the same short time
 * however many keys wait; a key is in at most one ring.
 */
export interface RingKey {
  readonly namespace: string;
  /** Kept by the ring; undefined while outside. */
  group: Group | undefined;
  previous: RingKey | undefined;
  next: RingKey | undefined;
}

/** The waiting keys of one namespace. A group exists only while it has keys. */
export interface Group {
  readonly ring: NamespaceRing;
  readonly namespace: string;
  first: RingKey | undefined;
  last: RingKey | undefined;
  previous: Group | undefined;
  next: Group | undefined;
}

export class NamespaceRing {
  /** What the owner of the ring sorts it by. */
  readonly id: number;
  readonly #groups = new Map<string, Group>();
  #first: Group | undefined;
  #last: Group | undefined;
  #size = 0;

  constructor(id: number) {
    this.id = id;
  }

  get size(): number {
    return this.#size;
  }

  /** The key goes behind those of its namespace; a namespace that had none goes behind all others. */
  push(key: RingKey): void {
    let group = this.#groups.get(key.namespace);
    if (!group) {
      group = {
        ring: this,
        namespace: key.namespace,
        first: undefined,
        last: undefined,
        previous: undefined,
        next: undefined,
      };
      this.#groups.set(key.namespace, group);
      this.#append(group);
    }
    key.group = group;
    key.previous = group.last;
    key.next = undefined;
    if (group.last) group.last.next = key;
    else group.first = key;
    group.last = key;
    this.#size++;
  }

  /** The first key of the namespace whose turn it is; that namespace then goes behind the others. */
  shift(): RingKey | undefined {
    const group = this.#first;
    const key = group?.first;
    if (!group || !key) return undefined;
    this.remove(key);
    if (group.first && this.#last !== group) {
      this.#unlink(group);
      this.#append(group);
    }
    return key;
  }

  remove(key: RingKey): void {
    const { group, previous, next } = key;
    if (group?.ring !== this) return;
    if (previous) previous.next = next;
    else group.first = next;
    if (next) next.previous = previous;
    else group.last = previous;
    key.group = undefined;
    key.previous = undefined;
    key.next = undefined;
    this.#size--;
    if (!group.first) {
      this.#unlink(group);
      this.#groups.delete(group.namespace);
    }
  }

  #append(group: Group): void {
    group.previous = this.#last;
    group.next = undefined;
    if (this.#last) this.#last.next = group;
    else this.#first = group;
    this.#last = group;
  }

  #unlink(group: Group): void {
    if (group.previous) group.previous.next = group.next;
    else this.#first = group.next;
    if (group.next) group.next.previous = group.previous;
    else this.#last = group.previous;
  }
}
