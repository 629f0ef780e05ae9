/** Finds duplicate keys, which `JSON.parse` does not report. */

/**
 * The paths of duplicate keys (`spec.replicas`, `list[0].name`) in the order of the text, each once. The text must be
 * valid JSON.
 */
export function duplicateFields(text: string): string[] {
  return new DuplicateScanner(text).scan();
}

interface Level {
  /** Undefined for a list. */
  readonly keys: Set<string> | undefined;
  /** The current key or index. */
  at: string;
  index: number;
}

class DuplicateScanner {
  readonly #text: string;
  readonly #levels: Level[] = [];
  readonly #found = new Set<string>();
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): string[] {
    const text = this.#text;
    while (this.#offset < text.length) {
      switch (text[this.#offset]) {
        case '{':
          this.#levels.push({ keys: new Set(), at: '', index: 0 });
          this.#offset++;
          this.#key();
          break;
        case '[':
          this.#levels.push({ keys: undefined, at: '[0]', index: 0 });
          this.#offset++;
          break;
        case '}':
        case ']':
          this.#levels.pop();
          this.#offset++;
          break;
        case ',':
          this.#offset++;
          this.#next();
          break;
        case '"':
          this.#string();
          break;
        default:
          this.#offset++;
      }
    }
    return [...this.#found];
  }

  #next(): void {
    const level = this.#levels.at(-1);
    if (!level) return;
    if (level.keys) this.#key();
    else level.at = `[${++level.index}]`;
  }

  /** Reads the next key, if any. */
  #key(): void {
    const level = this.#levels.at(-1);
    this.#skipSpace();
    if (!level?.keys || this.#text[this.#offset] !== '"') return;
    const key = this.#string();
    level.at = key;
    if (level.keys.has(key)) this.#found.add(this.#path());
    level.keys.add(key);
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#offset] ?? '')) this.#offset++;
  }

  /** Skips a string and returns its value. */
  #string(): string {
    const start = this.#offset++;
    let end = start;
    do {
      end = this.#text.indexOf('"', end + 1);
    } while (end > 0 && this.#isEscaped(end));
    this.#offset = end < 0 ? this.#text.length : end + 1;
    const raw = this.#text.slice(start, this.#offset);
    return raw.includes('\\') ? String(JSON.parse(raw)) : raw.slice(1, -1);
  }

  #isEscaped(quote: number): boolean {
    let backslashes = 0;
    while (this.#text[quote - 1 - backslashes] === '\\') backslashes++;
    return backslashes % 2 === 1;
  }

  #path(): string {
    let path = '';
    for (const { keys, at } of this.#levels) path += keys && path ? `.${at}` : at;
    return path;
  }
}
