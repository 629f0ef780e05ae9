/** Tokens of a label selector. */
export interface Token {
  readonly type: 'word' | 'symbol' | 'end';
  readonly text: string;
}

/** Longest first: the longest matching symbol wins. */
const SYMBOLS = ['==', '!=', '=', '!', '<', '>', '(', ')', ','];
const SYMBOL_START = /[=!(),<>]/;
const BLANK = /[ \t\r\n]/;

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    const rest = text.slice(position);
    const char = rest.charAt(0);
    if (BLANK.test(char)) {
      position++;
    } else if (SYMBOL_START.test(char)) {
      const symbol = SYMBOLS.find((candidate) => rest.startsWith(candidate)) ?? char;
      tokens.push({ type: 'symbol', text: symbol });
      position += symbol.length;
    } else {
      let end = position;
      while (end < text.length && !SYMBOL_START.test(text.charAt(end)) && !BLANK.test(text.charAt(end)))
        end++;
      tokens.push({ type: 'word', text: text.slice(position, end) });
      position = end;
    }
  }
  tokens.push({ type: 'end', text: '' });
  return tokens;
}
