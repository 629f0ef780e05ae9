/** Reads fields of a parsed document; errors name the field and the file. */
import { isRecord } from '../decode/json.ts';
import { ConfigError } from '../errors.ts';

export class Fields {
  readonly #record: Readonly<Record<string, unknown>>;
  /** The position, for messages: `clusters[0] of /home/me/.kube/config`. */
  readonly where: string;

  constructor(value: unknown, where: string) {
    if (!isRecord(value))
      throw new ConfigError(`${capitalised(where)} must be a mapping, not ${typeName(value)}`);
    this.#record = value;
    this.where = where;
  }

  string(name: string): string | undefined {
    const value = this.#get(name);
    // An empty string means "not set" throughout a kubeconfig.
    if (value === undefined || value === '') return undefined;
    if (typeof value !== 'string') {
      throw this.wrong(name, `must be a string, not ${typeName(value)}: put it in quotes`);
    }
    return value;
  }

  requiredString(name: string): string {
    const value = this.string(name);
    if (value === undefined) throw this.wrong(name, 'is missing');
    return value;
  }

  boolean(name: string): boolean {
    const value = this.#get(name) ?? false;
    if (typeof value !== 'boolean') throw this.wrong(name, `must be true or false, not ${typeName(value)}`);
    return value;
  }

  object(name: string): Fields | undefined {
    const value = this.#get(name);
    return value === undefined ? undefined : new Fields(value, `${name} of ${this.where}`);
  }

  list(name: string): readonly unknown[] {
    const value = this.#get(name) ?? [];
    if (!Array.isArray(value)) throw this.wrong(name, `must be a list, not ${typeName(value)}`);
    return value;
  }

  strings(name: string): readonly string[] {
    return this.list(name).map((value, index) => {
      if (typeof value !== 'string') {
        throw this.wrong(`${name}[${index}]`, `must be a string, not ${typeName(value)}: put it in quotes`);
      }
      return value;
    });
  }

  keys(): readonly string[] {
    return Object.keys(this.#record);
  }

  raw(name: string): unknown {
    return this.#get(name);
  }

  wrong(name: string, why: string): ConfigError {
    return new ConfigError(`${name} of ${this.where} ${why}`);
  }

  #get(name: string): unknown {
    const value = Object.hasOwn(this.#record, name) ? this.#record[name] : undefined;
    return value ?? undefined;
  }
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
