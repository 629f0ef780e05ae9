/**
 * Draws frames over each other on a terminal. Only the previous frame is erased, so earlier output stays, and the last
 * frame remains at the end.
 */
export interface Terminal {
  write(text: string): unknown;
  readonly columns?: number;
  readonly rows?: number;
}

const ESC = '\u001b[';

export class Screen {
  readonly #terminal: Terminal;
  #height = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get size(): { columns: number; rows: number } {
    return { columns: this.#terminal.columns || 80, rows: this.#terminal.rows || 24 };
  }

  draw(lines: readonly string[]): void {
    const hide = this.#height === 0 ? `${ESC}?25l` : '';
    const up = this.#height > 0 ? `${ESC}${this.#height}A` : '';
    this.#terminal.write(`${hide}${up}\r${ESC}J${lines.map((line) => `${line}\n`).join('')}`);
    this.#height = lines.length;
  }

  /** Shows the cursor again. */
  end(): void {
    this.#terminal.write(`${ESC}?25h`);
    this.#height = 0;
  }
}
