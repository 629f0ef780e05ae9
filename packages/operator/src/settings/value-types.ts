/** Parses and formats the values of flags. Parsing throws `BadValue`. */
import { parseAddress } from '@reloader/runtime';
import { parseGoBool } from '../go/bool.ts';
import { DurationError, formatGoDuration, parseGoDuration } from '../go/duration.ts';
import { parseStringSlice, StringSliceError } from '../go/string-slice.ts';
import { parseRate, type RateLimit } from '../reloader/model/rate.ts';
import { BadValue } from './usage-error.ts';

export interface ValueType<T> {
  /** Shown to users: `duration`, `list`. */
  readonly name: string;
  /** The value of `--flag` alone; undefined if a value must follow. */
  readonly bare?: string;
  /** `--flag value` takes the next argument. */
  readonly takesNext: boolean;
  /** Values may contain credentials: messages do not repeat them. */
  readonly secret?: boolean;
  /** All uses of the flag, in order, at least one. */
  read(uses: readonly string[]): T;
  show(value: T): string;
}

/** pflag's bool: `--flag`, `--flag=false`; never the next argument. */
export const bool: ValueType<boolean> = {
  name: 'bool',
  bare: 'true',
  takesNext: false,
  read: lastOf((text) => {
    const value = parseGoBool(text);
    if (value === undefined) throw new BadValue('must be true or false');
    return value;
  }),
  show: String,
};

/**
 * A text that Stakater compares with `true`: anything else is false. The flag alone counts as true, because another
 * program has booleans under the same names.
 */
export const exactlyTrue: ValueType<boolean> = {
  name: 'true|false',
  bare: 'true',
  takesNext: true,
  read: lastOf((text) => text === 'true'),
  show: String,
};

export const text: ValueType<string> = {
  name: 'text',
  takesNext: true,
  read: lastOf((value) => value),
  show: (value) => value,
};

/** `60/60`: per hour / burst; `0` for no limit. */
export const rate: ValueType<RateLimit | undefined> = {
  name: 'rate',
  takesNext: true,
  read: lastOf((text) => {
    const value = parseRate(text);
    if (value === undefined)
      throw new BadValue('must be so many an hour / so many at once, as in 60/60, or 0');
    return value === 'off' ? undefined : value;
  }),
  show: (value) => (value ? `${value.perHour}/${value.burst}` : '0'),
};

/** The name of an annotation: `prefix/name` or `name`. */
export const annotationName: ValueType<string> = {
  ...text,
  name: 'annotation',
  read: lastOf((value) => {
    const [name = '', prefix, ...more] = value.split('/').reverse();
    const fits =
      more.length === 0 &&
      /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(name) &&
      (prefix === undefined || (prefix.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(prefix)));
    if (!fits) throw new BadValue('must be the name of an annotation, such as example.com/auto');
    return value;
  }),
};

/** pflag's StringSlice: comma-separated, repeatable. Blanks around items and empty items are ignored. */
export const list: ValueType<readonly string[]> = {
  name: 'list',
  takesNext: true,
  read: (uses) =>
    uses
      .flatMap((use) => {
        try {
          return parseStringSlice(use);
        } catch (error) {
          if (error instanceof StringSliceError)
            throw new BadValue(`is no comma-separated list: ${error.message}`);
          throw error;
        }
      })
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  show: (items) => items.join(','),
};

/** Milliseconds. */
export const duration: ValueType<number> = {
  name: 'duration',
  takesNext: true,
  read: lastOf((value) => {
    let ms: number;
    try {
      ms = parseGoDuration(value);
    } catch (error) {
      if (error instanceof DurationError)
        throw new BadValue('must be a duration such as 500ms, 10s or 1h30m');
      throw error;
    }
    if (ms < 0) throw new BadValue('must not be negative');
    return ms;
  }),
  show: formatGoDuration,
};

export const count: ValueType<number> = {
  name: 'number',
  takesNext: true,
  read: lastOf((value) => {
    const number = Number(value);
    if (!/^[0-9]+$/.test(value) || !Number.isSafeInteger(number))
      throw new BadValue('must be a whole number from 0 on');
    return number;
  }),
  show: String,
};

export function choice<const T extends string>(...allowed: readonly T[]): ValueType<T> {
  return {
    name: allowed.filter((each) => each !== '').join('|'),
    takesNext: true,
    read: lastOf((value) => {
      const known = allowed.find((each) => each === value);
      if (known === undefined)
        throw new BadValue(`must be ${allowed.filter((each) => each !== '').join(' or ')}`);
      return known;
    }),
    show: (value) => value,
  };
}

export const address: ValueType<string> = {
  name: 'address',
  takesNext: true,
  read: lastOf((value) => {
    try {
      parseAddress(value);
    } catch {
      throw new BadValue('must be an address such as :9090, 127.0.0.1:9090 or [::1]:9090');
    }
    return value;
  }),
  show: (value) => value,
};

/** `0` means none. */
export const optionalAddress: ValueType<string | undefined> = {
  ...address,
  read: lastOf((value) => (value === '0' || value === '' ? undefined : address.read([value]))),
  show: (value) => value ?? '0',
};

/** An empty text means none. */
export const url: ValueType<string | undefined> = {
  name: 'url',
  secret: true,
  takesNext: true,
  read: lastOf((value) => {
    if (value.trim() === '') return undefined;
    if (!/^https?:\/\//i.test(value.trim()) || !URL.canParse(value.trim()))
      throw new BadValue('must be a URL that begins with http:// or https://');
    return value.trim();
  }),
  show: (value) => value ?? '',
};

/** For features that this version does not have: accepts only the values that turn them off. */
export function refused(why: string, ...harmless: readonly string[]): ValueType<string> {
  return {
    ...text,
    read: lastOf((value) => {
      if (!harmless.includes(value)) throw new BadValue(`is refused: ${why}`);
      return value;
    }),
  };
}

/** The last use counts. */
function lastOf<T>(read: (value: string) => T): (uses: readonly string[]) => T {
  return (uses) => read(uses.at(-1) ?? '');
}
