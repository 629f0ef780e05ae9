/** A text that must not be shown: logged, printed or turned into JSON, it is a placeholder. Only `reveal` gives it. */
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
