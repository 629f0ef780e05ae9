/** Go's quoting of strings and characters. */

const SHORT: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Letters, marks, numbers, punctuation, symbols, and the ASCII space. */
export function isPrintable(char: string): boolean {
  return char === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char);
}

/** Go's strconv.Quote, or QuoteToASCII. */
export function quote(text: string, ascii = false): string {
  return `"${[...text].map((char) => escaped(char, '"', ascii)).join('')}"`;
}

/** Go's strconv.QuoteRune. */
export function quoteChar(char: string, ascii = false): string {
  return `'${escaped(char, "'", ascii)}'`;
}

function escaped(char: string, mark: string, ascii: boolean): string {
  if (char === mark) return `\\${char}`;
  const short = SHORT[char];
  if (short !== undefined) return short;
  const point = char.codePointAt(0) ?? 0;
  if (point < 0x20 || point === 0x7f) return `\\x${point.toString(16).padStart(2, '0')}`;
  if (point < 0x7f || (!ascii && isPrintable(char))) return char;
  const digits = point.toString(16);
  return point > 0xffff ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
}

/** Go's strconv.CanBackquote. */
export function canBackquote(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is control characters that must not be there
  return !/[\x00-\x08\x0a-\x1f`\x7f\ufeff]/.test(text);
}
