/** Logs the server's warnings (deprecated versions, unknown fields), each text once. */
import type { Logger } from '../../logging/logger.ts';

/** Enough for all real warnings, and a bound on what a misbehaving server can make us keep. */
const MAX_REMEMBERED = 256;

export class WarningLog {
  readonly #logger: Logger | undefined;
  readonly #seen = new Set<string>();

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  report(header: string | undefined, request: string): void {
    if (header === undefined || !this.#logger) return;
    for (const text of warningTexts(header)) {
      if (this.#seen.has(text) || this.#seen.size >= MAX_REMEMBERED) continue;
      this.#seen.add(text);
      this.#logger.warn(`The API server warns: ${text}`, { request });
    }
  }
}

/** `299 agent "text" "date"`, several separated by commas; quotes and backslashes in the text are escaped. */
export function warningTexts(header: string): string[] {
  const pattern = /299 \S+ "((?:[^"\\]|\\.)*)"(?: "[^"]*")?/g;
  return [...header.matchAll(pattern)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}
