/**
 * A small file that is rotated: a token, a CA bundle, a client certificate.
 *
 * In: a path. Out: its text, read again after a minute or on request. Guarantees: after the first successful read, a
 * missing file (as during rotation) is tolerated and the last text stays in use. The first read throws a
 * `ConfigError`.
 */
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../clock/clock.ts';
import { ConfigError } from '../errors.ts';

const REREAD_MS = 60_000;

export class FileContent {
  readonly path: string;
  readonly #what: string;
  readonly #clock: Clock;
  #text: string | undefined;
  #readAt = 0;

  /** `what` names the file in messages: `token file`. */
  constructor(path: string, what: string, clock: Clock) {
    this.path = path;
    this.#what = what;
    this.#clock = clock;
  }

  async read(again = false): Promise<string> {
    const now = this.#clock.monotonic();
    if (this.#text !== undefined && !again && now - this.#readAt < REREAD_MS) return this.#text;
    this.#readAt = now;
    try {
      this.#text = await readFile(this.path, 'utf8');
    } catch (error) {
      if (this.#text === undefined) throw unreadable(this.#what, this.path, error);
    }
    return this.#text;
  }
}

export function unreadable(what: string, path: string, error: unknown): ConfigError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why =
    code === 'ENOENT'
      ? 'there is no such file, check the path'
      : code === 'EACCES'
        ? 'this user may not read it, check its permissions'
        : message;
  return new ConfigError(`Cannot read the ${what} ${path}: ${why}`, { cause: error });
}
