/** A secret text: logging, printing and JSON show a placeholder. Only `reveal` returns the text. */
import { inspect } from 'node:util';

const PLACEHOLDER = '[hidden]';

export class Hidden {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return PLACEHOLDER;
  }

  toJSON(): string {
    return PLACEHOLDER;
  }

  [inspect.custom](): string {
    return PLACEHOLDER;
  }
}
