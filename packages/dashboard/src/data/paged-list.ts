/**
 * A list on the server of which only what is shown is here.
 *
 * In: which rows are shown. Out: those rows, as they arrive. Guarantees: each block is asked for once; when the list has
 * changed, the old rows stay until the new ones are there; no more than `MOST_BLOCKS` blocks are kept.
 */

/** Rows of one request: more than fit a screen. */
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
  /** The newest. */
  answer: A | undefined;
  error: string | undefined;
  readonly #ask: Ask<A>;
  readonly #changed: () => void;
  readonly #blocks = new Map<number, Block<T>>();
  /** Version of which a block is asked for. */
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

  /** Undefined while it is on its way. */
  row(at: number): T | undefined {
    return this.#blocks.get(Math.floor(at / BLOCK))?.items[at % BLOCK];
  }

  /** These rows are looked at; the last one not included. */
  show(first: number, last: number): void {
    this.#shown = { first, last: Math.max(last, first + 1) };
    const from = Math.floor(first / BLOCK);
    const to = Math.floor((this.#shown.last - 1) / BLOCK);
    for (let block = from; block <= to; block++) void this.#get(block);
  }

  /** It is another list by now. */
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
