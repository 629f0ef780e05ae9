/** Go's fmt.Sprintf: flags, width, precision, `*`, `[n]`, and its error texts. */
import { FunctionError } from './compare.ts';
import { format, PLAIN } from './format.ts';
import type { Meter } from './meter.ts';
import { formatValue } from './print.ts';
import { sizeOf, typeName, type Value } from './values.ts';

/** Limits width and precision, which could otherwise exhaust the memory. */
const WIDEST = 1_000;
const LONGEST_RESULT = 1_000_000;
const LARGEST_NUMBER = 1_000_000;

/** The cost of a directive in addition to the size of its value. */
const DIRECTIVE_COST = 20;

export function sprintf(text: string, values: readonly Value[], meter: Meter): string {
  return new Printf(text, values, meter).run();
}

class Printf {
  readonly #format: string;
  readonly #values: readonly Value[];
  readonly #meter: Meter;
  #out = '';
  #at = 0;
  #next = 0;
  #reordered = false;
  /** Whether the argument numbers of the present directive are valid. */
  #good = true;
  #afterIndex = false;

  constructor(text: string, values: readonly Value[], meter: Meter) {
    this.#format = text;
    this.#values = values;
    this.#meter = meter;
  }

  run(): string {
    for (;;) {
      const percent = this.#format.indexOf('%', this.#at);
      this.#out += this.#format.slice(this.#at, percent < 0 ? undefined : percent);
      if (percent < 0) break;
      this.#at = percent + 1;
      this.#directive();
      if (this.#out.length > LONGEST_RESULT) throw new FunctionError('the result would be too long');
    }
    if (this.#reordered || this.#next >= this.#values.length) return this.#out;
    const extra = this.#values
      .slice(this.#next)
      .map((value) => (value === undefined ? '<nil>' : `${typeName(value)}=${formatValue(value)}`));
    return `${this.#out}%!(EXTRA ${extra.join(', ')})`;
  }

  #directive(): void {
    this.#meter.charge(DIRECTIVE_COST);
    this.#good = true;
    this.#afterIndex = false;
    const flags = this.#match(/[-+# 0]*/y);
    this.#argument();
    let minus = flags.includes('-');
    let zero = flags.includes('0');
    let width = this.#number('BADWIDTH');
    if (width !== undefined && width < 0) {
      width = -width;
      minus = true;
      zero = false;
    }
    const precision = this.#precision();
    if (!this.#afterIndex) this.#argument();
    const verb = String.fromCodePoint(
      ...[this.#format.codePointAt(this.#at) ?? 0].filter((point) => point > 0),
    );
    this.#at += verb.length;
    if (verb === '') this.#out += '%!(NOVERB)';
    else if (verb === '%') this.#out += '%';
    else if (!this.#good) this.#out += `%!${verb}(BADINDEX)`;
    else if (this.#next >= this.#values.length) this.#out += `%!${verb}(MISSING)`;
    else {
      const isValue = verb === 'v';
      const spec = {
        ...PLAIN,
        ...{ minus, zero, space: flags.includes(' ') },
        plus: flags.includes('+') && !isValue,
        sharp: flags.includes('#') && !isValue,
        syntax: flags.includes('#') && isValue,
        width: width && Math.min(width, WIDEST),
        precision: precision && Math.min(precision, WIDEST),
      };
      // The whole value is processed, even if only one character is printed.
      this.#meter.charge(sizeOf(this.#values[this.#next]));
      this.#out += format(this.#values[this.#next], verb, spec);
      this.#next += 1;
    }
  }

  #precision(): number | undefined {
    if (this.#format[this.#at] !== '.') return undefined;
    this.#at += 1;
    if (this.#afterIndex) this.#good = false;
    this.#argument();
    const before = this.#at;
    const found = this.#number('BADPREC');
    if (found !== undefined && found < 0) {
      this.#out += '%!(BADPREC)';
      return undefined;
    }
    return found ?? (this.#format[before] === '*' ? undefined : 0);
  }

  /** Digits, or `*` for the next value. */
  #number(complaint: string): number | undefined {
    if (this.#format[this.#at] === '*') {
      this.#at += 1;
      this.#afterIndex = false;
      const value = this.#values[this.#next];
      if (this.#next < this.#values.length) this.#next += 1;
      const fits = typeof value === 'bigint' && value <= LARGEST_NUMBER && value >= -LARGEST_NUMBER;
      if (fits) return Number(value);
      this.#out += `%!(${complaint})`;
      return undefined;
    }
    const digits = this.#match(/[0-9]*/y);
    if (digits === '' || Number(digits) > LARGEST_NUMBER) return undefined;
    if (this.#afterIndex) this.#good = false;
    return Number(digits);
  }

  /** `[n]`: the number of the next value. */
  #argument(): void {
    if (this.#format[this.#at] !== '[') return;
    this.#reordered = true;
    const close = this.#format.indexOf(']', this.#at);
    const inner = close < 0 ? '' : this.#format.slice(this.#at + 1, close);
    this.#at = close < 0 ? this.#at + 1 : close + 1;
    const index = /^[0-9]+$/.test(inner) ? Number(inner) - 1 : -1;
    this.#afterIndex = /^[0-9]+$/.test(inner);
    if (index >= 0 && index < this.#values.length) this.#next = index;
    else this.#good = false;
  }

  #match(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#format)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }
}
