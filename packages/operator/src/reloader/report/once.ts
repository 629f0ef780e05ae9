/** Deduplicates messages: each is reported once per key until it changes. Only keys with a message take memory. */
export class Once {
  readonly #said = new Map<string, string>();

  /** True if `content` differs from the last one of `key`. */
  isNew(key: string, content: string): boolean {
    if (this.#said.get(key) === content) return false;
    this.#said.set(key, content);
    return true;
  }

  forget(key: string): void {
    this.#said.delete(key);
  }

  get size(): number {
    return this.#said.size;
  }
}
