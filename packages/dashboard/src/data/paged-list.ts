/**
 * A list on the server, of which the client holds only the rows on screen.
 *
 * In: the range of rows shown. Out: those rows, as they arrive. Guarantees: each block is requested once; when the list
 * has changed, the old rows stay until the new ones arrive; at most `MOST_BLOCKS` blocks are kept.
 */

/** Rows per request: more than fit on a screen. */
const BLOCK = 100;
const MOST_BLOCKS = 8;

export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

export type Ask<A> = (offset: number, limit: number, signal: AbortSignal) => Promise<A>;

interface Block<T> {
  readonly items: readonly T[];
  readonly version: number;
}

export class PagedList<T, A extends Page<T> = Page<T>> {
  /** The newest answer. */
  answer: A | undefined;
  error: string | undefined;
  readonly #ask: Ask<A>;
  readonly #changed: () => void;
  readonly #blocks = new Map<number, Block<T>>();
  /** By block: the version for which it was requested. */
  readonly #asked = new Map<number, number>();
  readonly #ending = new AbortController();
  #version = 0;
  #shown = { first: 0, last: BLOCK };

  constructor(ask: Ask<A>, changed: () => void) {
    this.#ask = ask;
    this.#changed = changed;
  }

  get total(): number {
    return this.answer?.total ?? 0;
  }

  /** Undefined while the request is in flight. */
  row(at: number): T | undefined {
    return this.#blocks.get(Math.floor(at / BLOCK))?.items[at % BLOCK];
  }

  /** The visible rows that have arrived. */
  get shown(): readonly T[] {
    const { first, last } = this.#shown;
    return Array.from({ length: last - first }, (_, at) => this.row(first + at)).filter(
      (row): row is T => row !== undefined,
    );
  }

  /** Sets the visible rows; `last` is exclusive. */
  show(first: number, last: number): void {
    this.#shown = { first, last: Math.max(last, first + 1) };
    const from = Math.floor(first / BLOCK);
    const to = Math.floor((this.#shown.last - 1) / BLOCK);
    for (let block = from; block <= to; block++) void this.#get(block);
  }

  /** The list on the server has changed: requests its rows again. */
  renew(): void {
    this.#version += 1;
    this.show(this.#shown.first, this.#shown.last);
  }

  end(): void {
    this.#ending.abort();
  }

  async #get(block: number): Promise<void> {
    const version = this.#version;
    if (this.#blocks.get(block)?.version === version || this.#asked.get(block) === version) return;
    this.#asked.set(block, version);
    try {
      const answer = await this.#ask(block * BLOCK, BLOCK, this.#ending.signal);
      if (this.#asked.get(block) !== version) return;
      this.#keep(block, { items: answer.items, version });
      this.answer = answer;
      this.error = undefined;
    } catch (error) {
      if (this.#ending.signal.aborted || this.#asked.get(block) !== version) return;
      this.error = error instanceof Error ? error.message : String(error);
    }
    this.#asked.delete(block);
    this.#changed();
  }

  #keep(block: number, content: Block<T>): void {
    this.#blocks.delete(block);
    this.#blocks.set(block, content);
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= MOST_BLOCKS) break;
      this.#blocks.delete(oldest);
    }
  }
}
