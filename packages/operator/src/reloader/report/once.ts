/** Says a thing once per key for as long as it stays the same. Memory is kept only for keys that have something to say. */
export class Once {
  readonly #said = new Map<string, string>();

  /** True when `content` is news for `key`. */
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
