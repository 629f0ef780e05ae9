/** Splits text into tokens, as Go's text/template does: trim markers, comments, strings, numbers, fields, variables. */
import { SourceError } from './error.ts';

export type TokenKind =
  | 'text'
  | 'open'
  | 'close'
  | 'space'
  | 'identifier'
  | 'keyword'
  | 'field'
  | 'variable'
  | 'dot'
  | 'string'
  | 'char'
  | 'number'
  | 'bool'
  | 'nil'
  | 'pipe'
  | 'declare'
  | 'assign'
  | 'comma'
  | 'paren-open'
  | 'paren-close'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

const KEYWORDS: ReadonlySet<string> = new Set([
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'range',
  'template',
  'with',
]);

const SPACE = /[ \t\r\n]+/y;
const VARIABLE = /[\p{L}\p{Nd}_]*/uy;
const WORD = /[\p{L}_][\p{L}\p{Nd}_]*/uy;
const NUMBER =
  /[+-]?(?:0[xX](?:_?[0-9a-fA-F])*\.?[0-9a-fA-F]*[pP][+-]?[0-9]+|0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:[0-9](?:_?[0-9])*)?\.?[0-9](?:_?[0-9])*\.?(?:[eE][+-]?[0-9]+)?)/y;
const TERMINATORS = /[ \t\r\n.,|:)(=}]/;

export function lex(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const open = source.indexOf('{{', at);
    if (open < 0) {
      tokens.push({ kind: 'text', text: source.slice(at), at });
      break;
    }
    const trims = source[open + 2] === '-' && isSpace(source[open + 3]);
    const text = source.slice(at, open);
    const kept = trims ? withoutEnd(text) : text;
    if (kept !== '') tokens.push({ kind: 'text', text: kept, at });
    at = lexAction(source, open, open + (trims ? 3 : 2), tokens);
  }
  tokens.push({ kind: 'end', text: '', at: source.length });
  return tokens;
}

/** Returns the offset after the action and the space that its right trim marker removes. */
function lexAction(source: string, open: number, start: number, tokens: Token[]): number {
  const inner = source[start] === '/' ? start : skipSpaceBeforeComment(source, open, start);
  if (source.startsWith('/*', inner)) return lexComment(source, inner);
  tokens.push({ kind: 'open', text: '{{', at: open });
  let at = start;
  for (;;) {
    const rest = source.startsWith('}}', at) ? 2 : isRightTrim(source, at) ? 4 : 0;
    if (rest > 0) {
      tokens.push({ kind: 'close', text: '}}', at });
      return afterClose(source, at + rest, rest === 4);
    }
    if (at >= source.length) throw new SourceError(open, 'unclosed action');
    const token = nextToken(source, at);
    tokens.push(token);
    at += token.text.length;
  }
}

/** A space before a comment is allowed only after a left trim marker. */
function skipSpaceBeforeComment(source: string, open: number, start: number): number {
  return start === open + 3 && source[start] === ' ' && source.startsWith('/*', start + 1)
    ? start + 1
    : start;
}

function lexComment(source: string, at: number): number {
  const end = source.indexOf('*/', at + 2);
  if (end < 0) throw new SourceError(at, 'unclosed comment');
  if (source.startsWith('}}', end + 2)) return end + 4;
  if (isRightTrim(source, end + 2)) return afterClose(source, end + 6, true);
  throw new SourceError(at, 'comment ends before closing delimiter');
}

function isRightTrim(source: string, at: number): boolean {
  return isSpace(source[at]) && source.startsWith('-}}', at + 1);
}

function afterClose(source: string, at: number, trims: boolean): number {
  if (!trims) return at;
  SPACE.lastIndex = at;
  return at + (SPACE.exec(source)?.[0].length ?? 0);
}

function nextToken(source: string, at: number): Token {
  const char = source[at] ?? '';
  const token = (kind: TokenKind, text: string): Token => ({ kind, text, at });
  if (isSpace(char)) {
    const text = match(SPACE, source, at);
    // A right trim marker includes the space before it, which is not part of the space between arguments.
    return token('space', source.startsWith('-}}', at + text.length) ? text.slice(0, -1) || text : text);
  }
  if (source.startsWith(':=', at)) return token('declare', ':=');
  if (char === '=') return token('assign', '=');
  if (char === '|') return token('pipe', '|');
  if (char === ',') return token('comma', ',');
  if (char === '(') return token('paren-open', '(');
  if (char === ')') return token('paren-close', ')');
  if (char === '"') return token('string', quoted(source, at, '"'));
  if (char === '`') return token('string', raw(source, at));
  if (char === "'") return token('char', quoted(source, at, "'"));
  if (char === '$') return token('variable', `$${match(VARIABLE, source, at + 1)}`);
  if (char === '.' && !/[0-9]/.test(source[at + 1] ?? '')) {
    const name = match(WORD, source, at + 1);
    return name === '' ? token('dot', '.') : checkEnd(source, token('field', `.${name}`));
  }
  const number = match(NUMBER, source, at);
  if (number !== '') return checkNumber(source, token('number', number));
  const word = match(WORD, source, at);
  if (word === '') throw new SourceError(at, `unexpected character ${JSON.stringify(char)} in an action`);
  const kind = KEYWORDS.has(word)
    ? 'keyword'
    : word === 'true' || word === 'false'
      ? 'bool'
      : word === 'nil'
        ? 'nil'
        : 'identifier';
  return checkEnd(source, token(kind, word));
}

function checkEnd(source: string, token: Token): Token {
  const next = source[token.at + token.text.length];
  if (next !== undefined && !TERMINATORS.test(next)) {
    throw new SourceError(token.at, `bad character ${JSON.stringify(next)} behind ${token.text}`);
  }
  return token;
}

function checkNumber(source: string, token: Token): Token {
  const next = source[token.at + token.text.length];
  if (next !== undefined && /[\p{L}\p{Nd}_.]/u.test(next)) {
    throw new SourceError(token.at, `bad number syntax: ${token.text}${next}`);
  }
  return token;
}

function quoted(source: string, at: number, quote: string): string {
  for (let index = at + 1; index < source.length; index++) {
    const char = source[index];
    if (char === '\\') index += 1;
    else if (char === '\n') break;
    else if (char === quote) return source.slice(at, index + 1);
  }
  throw new SourceError(at, quote === '"' ? 'unterminated quoted string' : 'unterminated character constant');
}

function raw(source: string, at: number): string {
  const end = source.indexOf('`', at + 1);
  if (end < 0) throw new SourceError(at, 'unterminated raw quoted string');
  return source.slice(at, end + 1);
}

function match(expression: RegExp, source: string, at: number): string {
  expression.lastIndex = at;
  return expression.exec(source)?.[0] ?? '';
}

/** A loop, because a regular expression would examine every run of blanks. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text[end - 1])) end -= 1;
  return text.slice(0, end);
}

function isSpace(char: string | undefined): boolean {
  return char === ' ' || char === '\t' || char === '\r' || char === '\n';
}
