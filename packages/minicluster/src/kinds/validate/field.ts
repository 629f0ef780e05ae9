/**
 * A value, its path, and the list that its errors go to. Validators walk an object with it: they descend with
 * `child`, `key` and `items`, and report with the methods named after the API's causes.
 */
import type { FieldError } from '../../model/status.ts';
import { array, isAbsent, isRecord, record, text } from '../fields.ts';
import { printed, quoted } from './go-format.ts';

export class Field {
  readonly value: unknown;
  readonly path: string;
  readonly #errors: FieldError[];

  constructor(value: unknown, path: string, errors: FieldError[]) {
    this.value = value;
    this.path = path;
    this.#errors = errors;
  }

  /** The field `name`; several names descend at once. */
  child(...names: readonly string[]): Field {
    let value = this.value;
    for (const name of names) value = isRecord(value) ? value[name] : undefined;
    const tail = names.join('.');
    return new Field(value, this.path ? `${this.path}.${tail}` : tail, this.#errors);
  }

  /** An entry of a map: `data[key]`. */
  key(name: string): Field {
    const map = record(this.value);
    const value = Object.hasOwn(map, name) ? map[name] : undefined;
    return new Field(value, `${this.path}[${name}]`, this.#errors);
  }

  items(): Field[] {
    return array(this.value).map((item, index) => new Field(item, `${this.path}[${index}]`, this.#errors));
  }

  keys(): string[] {
    return Object.keys(record(this.value)).sort();
  }

  /** The same errors and path, another value. */
  as(value: unknown): Field {
    return new Field(value, this.path, this.#errors);
  }

  /** The same value and errors under another path. */
  named(path: string): Field {
    return new Field(this.value, path, this.#errors);
  }

  get absent(): boolean {
    return isAbsent(this.value);
  }

  /** Absent, or an empty string. */
  get empty(): boolean {
    return isAbsent(this.value) || this.value === '';
  }

  get text(): string {
    return text(this.value);
  }

  /** Absent counts as 0. */
  get number(): number {
    return typeof this.value === 'number' ? this.value : 0;
  }

  get count(): number {
    return Array.isArray(this.value) ? this.value.length : Object.keys(record(this.value)).length;
  }

  /** The number of errors reported so far to the shared list. */
  get errorCount(): number {
    return this.#errors.length;
  }

  /** Adds the errors of another validator. */
  add(errors: readonly FieldError[]): void {
    this.#errors.push(...errors);
  }

  required(detail = ''): void {
    this.#add('FieldValueRequired', `Required value${detail && `: ${detail}`}`);
  }

  /** With an empty detail only the value is printed. */
  invalid(detail: string, value: unknown = this.value): void {
    this.#add('FieldValueInvalid', `Invalid value: ${printed(value)}${detail && `: ${detail}`}`);
  }

  /** One error per text, as returned by the rules of `names.ts`. */
  invalidAll(details: readonly string[], value: unknown = this.value): void {
    for (const detail of details) this.invalid(detail, value);
  }

  forbidden(detail: string): void {
    this.#add('FieldValueForbidden', `Forbidden: ${detail}`);
  }

  notSupported(supported: readonly string[], value: unknown = this.value): void {
    const values = supported.map(quoted).join(', ');
    this.#add('FieldValueNotSupported', `Unsupported value: ${printed(value)}: supported values: ${values}`);
  }

  duplicate(value: unknown = this.value): void {
    this.#add('FieldValueDuplicate', `Duplicate value: ${printed(value)}`);
  }

  notFound(value: unknown = this.value): void {
    this.#add('FieldValueNotFound', `Not found: ${printed(value)}`);
  }

  tooLong(limit: number): void {
    this.#add('FieldValueTooLong', `Too long: may not be more than ${limit} bytes`);
  }

  tooMany(limit: number): void {
    this.#add(
      'FieldValueTooMany',
      `Too many: ${this.count}: must have at most ${limit} item${limit === 1 ? '' : 's'}`,
    );
  }

  /** One of `supported`; a missing value is reported as required. */
  oneOf(supported: readonly string[]): void {
    if (this.empty) this.required();
    else if (!supported.includes(this.text)) this.notSupported(supported);
  }

  /** An absent value is not an error. */
  notNegative(): void {
    if (this.number < 0) this.invalid('must be greater than or equal to 0');
  }

  #add(reason: FieldError['reason'], message: string): void {
    this.#errors.push({ reason, field: this.path, message });
  }
}

/** Runs a validator on `value` and returns its errors. */
export function collect(value: unknown, validator: (root: Field) => void): FieldError[] {
  const errors: FieldError[] = [];
  validator(new Field(value, '', errors));
  return errors;
}
