/**
 * Reads an object that a user wrote, field by field.
 *
 * In: any JSON. Out: values of the types asked for, and a problem with its path for each one that is of another type.
 * Nothing throws and nothing is inherited: `__proto__` is a key like any other, and an invalid field affects no other.
 */
import { type Selector, SelectorError, selectorFrom } from '@reloader/runtime';
import { DurationError, LONGEST_DURATION, parseGoDuration } from '../../go/duration.ts';
import type { ConfigProblem } from '../model/config.ts';

type JsonMap = Readonly<Record<string, unknown>>;

export class Fields {
  readonly #path: string;
  readonly #map: JsonMap;
  readonly #problems: ConfigProblem[];

  private constructor(path: string, map: JsonMap, problems: ConfigProblem[]) {
    this.#path = path;
    this.#map = map;
    this.#problems = problems;
  }

  static of(path: string, value: unknown, problems: ConfigProblem[]): Fields {
    if (isMap(value)) return new Fields(path, value, problems);
    if (value !== undefined && value !== null)
      problems.push({ field: path, message: mustBe('an object', value) });
    return new Fields(path, {}, problems);
  }

  has(name: string): boolean {
    return this.#get(name) !== undefined;
  }

  object(name: string): Fields {
    return Fields.of(this.pathOf(name), this.#get(name), this.#problems);
  }

  /** The elements that are objects; others are reported as problems. */
  objects(name: string): Fields[] {
    return this.#list(name).flatMap((value, index) => {
      const path = `${this.pathOf(name)}[${index}]`;
      if (isMap(value)) return [new Fields(path, value, this.#problems)];
      this.#problems.push({ field: path, message: mustBe('an object', value) });
      return [];
    });
  }

  /** The raw value; the caller checks its type. */
  any(name: string): unknown {
    return this.#get(name);
  }

  text(name: string): string | undefined {
    return this.#typed(name, 'a string', (value) => (typeof value === 'string' ? value : undefined));
  }

  /** A required, non-empty text. */
  name(name: string): string | undefined {
    const text = this.text(name);
    if (text !== undefined && text !== '') return text;
    if (text === '' || !this.has(name)) this.problem(name, 'is required');
    return undefined;
  }

  flag(name: string): boolean | undefined {
    return this.#typed(name, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined));
  }

  choice<C extends string>(name: string, choices: readonly C[]): C | undefined {
    const text = this.text(name);
    const chosen = choices.find((choice) => choice === text);
    if (text !== undefined && text !== '' && chosen === undefined)
      this.problem(name, `must be one of ${choices.join(', ')}, not "${short(text)}"`);
    return chosen;
  }

  /** Milliseconds. */
  duration(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined || text === '') return undefined;
    try {
      const ms = parseGoDuration(text);
      if (ms >= 0) return ms;
      this.problem(name, `must not be negative: "${short(text)}"`);
    } catch (error) {
      if (!(error instanceof DurationError)) throw error;
      this.problem(
        name,
        error.tooLong
          ? `is too long: "${short(text)}" is more than ${LONGEST_DURATION}, the longest duration that there is`
          : `must be a duration such as 30s or 1h30m, not "${short(text)}"`,
      );
    }
    return undefined;
  }

  /** The non-empty names. */
  names(name: string): string[] {
    return this.#list(name).flatMap((value, index) => {
      if (typeof value === 'string' && value !== '') return [value];
      this.problem(`${name}[${index}]`, mustBe('a name', value));
      return [];
    });
  }

  texts(name: string): Record<string, string> {
    const value = this.#get(name);
    if (value === undefined) return {};
    if (!isMap(value)) {
      this.problem(name, mustBe('a map of strings', value));
      return {};
    }
    const entries = Object.entries(value).filter(([key, text]) => {
      if (typeof text === 'string') return true;
      this.problem(`${name}.${short(key)}`, mustBe('a string', text));
      return false;
    });
    return Object.fromEntries(entries) as Record<string, string>;
  }

  /** Labels to match. One that is not a valid label is a problem, and is kept: then nothing matches. */
  labels(name: string): Record<string, string> {
    const labels = this.texts(name);
    for (const [key, value] of Object.entries(labels)) {
      try {
        selectorFrom({ matchLabels: Object.fromEntries([[key, value]]) });
      } catch (error) {
        if (!(error instanceof SelectorError)) throw error;
        this.problem(`${name}.${short(key)}`, `can be on no object: ${error.message}`);
      }
    }
    return labels;
  }

  /** A selector that does not compile selects nothing. */
  selector(name: string): Selector | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    try {
      if (!isMap(value)) throw new SelectorError(mustBe('a label selector', value));
      return selectorFrom(value);
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      this.problem(name, error.message);
      return selectorFrom(undefined);
    }
  }

  problem(name: string, message: string): void {
    this.#problems.push({ field: this.pathOf(name), message });
  }

  pathOf(name: string): string {
    return `${this.#path}.${name}`;
  }

  #get(name: string): unknown {
    const value = Object.hasOwn(this.#map, name) ? this.#map[name] : undefined;
    return value === null ? undefined : value;
  }

  #list(name: string): readonly unknown[] {
    return this.#typed(name, 'a list', (value) => (Array.isArray(value) ? value : undefined)) ?? [];
  }

  #typed<V>(name: string, what: string, read: (value: unknown) => V | undefined): V | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    const typed = read(value);
    if (typed === undefined) this.problem(name, mustBe(what, value));
    return typed;
  }
}

function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mustBe(what: string, value: unknown): string {
  return `must be ${what}, not ${value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value}`;
}

function short(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
