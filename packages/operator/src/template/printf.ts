/** Go's fmt.Sprintf for the values that templates have: flags, width, precision, `*`, and its complaints. */
import { formatFloat, formatValue, quote, twoDigits } from './print.ts';
import { isList, isMap, keysOf, typeName, type Value } from './values.ts';

/** Wider fields than any text needs would only fill memory. */
const WIDEST = 10_000;

interface Spec {
  readonly flags: string;
  readonly width: number | undefined;
  readonly precision: number | undefined;
  readonly verb: string;
}

const DIRECTIVE = /%([-+# 0]*)(\*|[0-9]+)?(?:\.(\*|[0-9]*))?([\s\S]?)/gu;

export function sprintf(format: string, values: readonly Value[]): string {
  let next = 0;
  let out = '';
  let last = 0;
  for (const found of format.matchAll(DIRECTIVE)) {
    const [all, flags = '', width, precision, verb = ''] = found;
    out += format.slice(last, found.index);
    last = found.index + all.length;
    if (verb === '%') {
      out += '%';
      continue;
    }
    if (verb === '') {
      out += '%!(NOVERB)';
      continue;
    }
    const star = (): number | undefined => {
      const value = values[next];
      next += 1;
      if (typeof value === 'bigint' && value > -1_000_000n && value < 1_000_000n) return Number(value);
      out += '%!(BADWIDTH)';
      return undefined;
    };
    let wide = width === '*' ? star() : width === undefined ? undefined : Number(width);
    const exact = precision === '*' ? star() : precision === undefined ? undefined : Number(precision || '0');
    let marks = flags;
    if (wide !== undefined && wide < 0) {
      marks += '-';
      wide = -wide;
    }
    if (next >= values.length) {
      out += `%!${verb}(MISSING)`;
      continue;
    }
    const spec = {
      flags: marks,
      width: wide === undefined ? undefined : Math.min(wide, WIDEST),
      precision: exact === undefined || exact < 0 ? undefined : Math.min(exact, WIDEST),
      verb,
    };
    out += formatOne(values[next], spec);
    next += 1;
  }
  out += format.slice(last);
  if (next < values.length) {
    const extra = values
      .slice(next)
      .map((value) => (value === undefined ? '<nil>' : `${typeName(value)}=${formatValue(value)}`));
    out += `%!(EXTRA ${extra.join(', ')})`;
  }
  return out;
}

function formatOne(value: Value, spec: Spec): string {
  const { verb } = spec;
  if (verb === 'T') return pad(typeName(value), spec, false);
  if (value === undefined) return verb === 'v' ? pad('<nil>', spec, false) : `%!${verb}(<nil>)`;
  if (typeof value === 'string') return formatString(value, spec);
  if (typeof value === 'bigint') return formatInt(value, spec);
  if (typeof value === 'number') return formatFloating(value, spec);
  if (typeof value === 'boolean') {
    return verb === 't' || verb === 'v' ? pad(String(value), spec, false) : bad(value, verb);
  }
  const item = (each: Value): string => formatOne(each, spec);
  if (isList(value)) return `[${value.map(item).join(' ')}]`;
  if (isMap(value)) {
    return `map[${keysOf(value)
      .map((key) => `${formatOne(key, spec)}:${item(value[key])}`)
      .join(' ')}]`;
  }
  return bad(value, verb);
}

function formatString(value: string, spec: Spec): string {
  const { verb, precision, flags } = spec;
  const cut = precision === undefined ? value : [...value].slice(0, precision).join('');
  switch (verb) {
    case 's':
    case 'v':
      return pad(verb === 'v' && flags.includes('#') ? quote(cut) : cut, spec, true);
    case 'q':
      return pad(flags.includes('#') && !cut.includes('`') ? `\`${cut}\`` : quote(cut), spec, true);
    case 'x':
    case 'X': {
      const bytes = Buffer.from(value).subarray(0, precision ?? undefined);
      const prefix = flags.includes('#') && bytes.length > 0 ? '0x' : '';
      const hex = flags.includes(' ')
        ? [...bytes].map((byte) => `${prefix}${byte.toString(16).padStart(2, '0')}`).join(' ')
        : `${prefix}${bytes.toString('hex')}`;
      return pad(verb === 'X' ? hex.toUpperCase() : hex, spec, true);
    }
    default:
      return bad(value, verb);
  }
}

const BASES: Readonly<Record<string, number>> = { b: 2, o: 8, O: 8, d: 10, v: 10, x: 16, X: 16 };
const PREFIXES: Readonly<Record<string, string>> = { b: '0b', o: '0', x: '0x', X: '0X' };

function formatInt(value: bigint, spec: Spec): string {
  const { verb, flags, precision } = spec;
  if (verb === 'c') return pad(charOf(value), spec, true);
  if (verb === 'q') return pad(quoteChar(charOf(value)), spec, true);
  if (verb === 'U')
    return pad(
      `U+${value
        .toString(16)
        .toUpperCase()
        .padStart(Math.max(4, precision ?? 0), '0')}`,
      spec,
      false,
    );
  const base = BASES[verb];
  if (base === undefined) return bad(value, verb);
  const negative = value < 0n;
  let digits = (negative ? -value : value).toString(base);
  if (verb === 'X') digits = digits.toUpperCase();
  if (precision !== undefined)
    digits = precision === 0 && value === 0n ? '' : digits.padStart(precision, '0');
  const prefix = verb === 'O' ? '0o' : flags.includes('#') ? (PREFIXES[verb] ?? '') : '';
  const sign = negative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  return padNumber(sign, prefix, digits, spec, precision === undefined);
}

function formatFloating(value: number, spec: Spec): string {
  const { verb, flags, precision } = spec;
  const text = floatText(value, verb, precision);
  if (text === undefined) return bad(value, verb);
  const negative = text.startsWith('-');
  const bare = text.replace(/^[-+]/, '');
  const infinite = /[IN]/.test(bare);
  const sign = negative ? '-' : flags.includes('+') || bare === 'Inf' ? '+' : flags.includes(' ') ? ' ' : '';
  return padNumber(sign, '', bare, spec, !infinite);
}

function floatText(value: number, verb: string, precision: number | undefined): string | undefined {
  if (!Number.isFinite(value)) return formatFloat(value);
  switch (verb) {
    case 'v':
      return precision === undefined ? formatFloat(value) : general(value, precision);
    case 'g':
    case 'G': {
      const text = precision === undefined ? formatFloat(value) : general(value, precision);
      return verb === 'G' ? text.toUpperCase() : text;
    }
    case 'f':
    case 'F':
      return value.toFixed(Math.min(100, precision ?? 6));
    case 'e':
    case 'E': {
      const [digits = '', power = '0'] = value.toExponential(Math.min(100, precision ?? 6)).split('e');
      return `${digits}${verb}${twoDigits(Number(power))}`;
    }
    default:
      return undefined;
  }
}

function general(value: number, precision: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const digits = Math.min(100, Math.max(1, precision));
  const [mantissa = '', power = '0'] = value.toExponential(digits - 1).split('e');
  const decimal = Number(power);
  const trimmed = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
  if (decimal < -4 || decimal >= Math.max(digits, precision === 0 ? 1 : digits)) {
    return `${trimmed(mantissa)}e${twoDigits(decimal)}`;
  }
  return trimmed(value.toFixed(Math.min(100, Math.max(0, digits - 1 - decimal))));
}

function charOf(value: bigint): string {
  const valid = value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value <= 0xdfffn);
  return valid ? String.fromCodePoint(Number(value)) : '\ufffd';
}

function quoteChar(char: string): string {
  const inner = char === '"' ? '"' : quote(char).slice(1, -1);
  return `'${char === "'" ? "\\'" : inner}'`;
}

function padNumber(sign: string, prefix: string, digits: string, spec: Spec, zeros: boolean): string {
  const { flags, width = 0 } = spec;
  if (flags.includes('0') && !flags.includes('-') && zeros) {
    return `${sign}${prefix}${digits.padStart(width - sign.length - prefix.length, '0')}`;
  }
  return pad(`${sign}${prefix}${digits}`, { ...spec, flags: flags.replaceAll('0', '') }, false);
}

function pad(text: string, { flags, width }: Spec, zeros: boolean): string {
  if (width === undefined) return text;
  const missing = width - [...text].length;
  if (missing <= 0) return text;
  if (flags.includes('-')) return `${text}${' '.repeat(missing)}`;
  return `${(zeros && flags.includes('0') ? '0' : ' ').repeat(missing)}${text}`;
}

function bad(value: Value, verb: string): string {
  return `%!${verb}(${typeName(value)}=${formatValue(value)})`;
}
