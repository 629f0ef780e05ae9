/**
 * Keys of one priority, served round-robin by namespace, and first come first served within each.
 *
 * Namespaces take turns. One that had nothing to do since its last turn goes before those that always have:
 * a namespace with few keys hardly notices another that floods. It does so once, and then queues up with the
 * others, also when it is empty again; hence between two turns of a busy namespace every other one is served
 * at most twice.
 *
 * All links are kept in the keys and groups themselves, so that every operation takes the same short time
 * however many keys wait; a key is in at most one ring.
 */
export interface RingKey {
  readonly namespace: string;
  /** Set by the ring; undefined while outside. */
  group: Group | undefined;
  previous: RingKey | undefined;
  next: RingKey | undefined;
}

/** The waiting keys of one namespace. */
export interface Group {
  readonly ring: NamespaceRing;
  readonly namespace: string;
  first: RingKey | undefined;
  last: RingKey | undefined;
  list: GroupList;
  previous: Group | undefined;
  next: Group | undefined;
}

export class NamespaceRing {
  /** The sort key for the ring's owner. */
  readonly id: number;
  readonly #groups = new Map<string, Group>();
  /** Namespaces that became active after they were idle. All have keys. */
  readonly #fresh = new GroupList();
  /** Namespaces that had their turn; one that is empty at its next turn is removed. */
  readonly #served = new GroupList();
  #size = 0;

  constructor(id: number) {
    this.id = id;
  }

  get size(): number {
    return this.#size;
  }

  push(key: RingKey): void {
    const group = this.#groups.get(key.namespace) ?? this.#enter(key.namespace);
    key.group = group;
    key.previous = group.last;
    key.next = undefined;
    if (group.last) group.last.next = key;
    else group.first = key;
    group.last = key;
    this.#size++;
  }

  /** Removes and returns the first key of the namespace whose turn it is. */
  shift(): RingKey | undefined {
    for (;;) {
      const group = this.#fresh.first ?? this.#served.first;
      if (!group) return undefined;
      const wasFresh = group.list === this.#fresh;
      const key = group.first;
      if (key) this.#unlink(key, group);
      group.list.remove(group);
      if (group.first || wasFresh) this.#served.append(group);
      else this.#groups.delete(group.namespace);
      if (this.#size === 0) this.#forgetTurns();
      if (key) return key;
    }
  }

  remove(key: RingKey): void {
    const { group } = key;
    if (group?.ring !== this) return;
    this.#unlink(key, group);
    if (group.first) return;
    group.list.remove(group);
    this.#groups.delete(group.namespace);
    if (this.#size === 0) this.#forgetTurns();
  }

  /** The order of turns matters only while keys wait; an idle queue should hold nothing. */
  #forgetTurns(): void {
    this.#groups.clear();
    this.#served.clear();
  }

  #enter(namespace: string): Group {
    const group: Group = {
      ring: this,
      namespace,
      first: undefined,
      last: undefined,
      list: this.#fresh,
      previous: undefined,
      next: undefined,
    };
    this.#groups.set(namespace, group);
    this.#fresh.append(group);
    return group;
  }

  #unlink(key: RingKey, group: Group): void {
    const { previous, next } = key;
    if (previous) previous.next = next;
    else group.first = next;
    if (next) next.previous = previous;
    else group.last = previous;
    key.group = undefined;
    key.previous = undefined;
    key.next = undefined;
    this.#size--;
  }
}

/** A doubly linked list of groups. A group is in one list at a time and stores which. */
class GroupList {
  first: Group | undefined;
  last: Group | undefined;

  append(group: Group): void {
    group.list = this;
    group.previous = this.last;
    group.next = undefined;
    if (this.last) this.last.next = group;
    else this.first = group;
    this.last = group;
  }

  clear(): void {
    this.first = undefined;
    this.last = undefined;
  }

  remove(group: Group): void {
    if (group.previous) group.previous.next = group.next;
    else this.first = group.next;
    if (group.next) group.next.previous = group.previous;
    else this.last = group.previous;
  }
}
