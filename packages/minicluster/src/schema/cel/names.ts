/** Escapes property names that are no CEL identifiers. */
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);
const ESCAPES: Readonly<Record<string, string>> = { '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/** A property's name in rules; undefined if it has none. */
export function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  const escaped = name.replaceAll('__', '__underscores__').replace(/[-./]/g, (char) => ESCAPES[char] ?? char);
  return IDENTIFIER.test(escaped) ? escaped : undefined;
}
