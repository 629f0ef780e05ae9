/** JSON syntax errors in the words of the server's JSON decoder. */
export function jsonSyntaxProblem(text: string): string {
  const scanner = new Scanner(text);
  try {
    scanner.value();
    scanner.blank();
    if (scanner.position < text.length) scanner.fail('after top-level value');
    return 'unexpected end of JSON input';
  } catch (problem) {
    if (problem instanceof SyntaxProblem) return problem.message;
    throw problem;
  }
}

class SyntaxProblem extends Error {}

class Scanner {
  readonly #text: string;
  position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  blank(): void {
    while (' \t\r\n'.includes(this.#peek()) && this.#peek() !== '') this.position++;
  }

  fail(where: string): never {
    if (this.position >= this.#text.length) throw new SyntaxProblem('unexpected end of JSON input');
    throw new SyntaxProblem(`invalid character ${quoted(this.#text, this.position)} ${where}`);
  }

  value(depth = 0): void {
    this.blank();
    const char = this.#peek();
    if (depth > 10_000) throw new SyntaxProblem('exceeded max depth');
    if (char === '{') this.#object(depth);
    else if (char === '[') this.#array(depth);
    else if (char === '"') this.#string();
    else if (char === '-' || isDigit(char)) this.#number();
    else if (char === 't') this.#literal('true');
    else if (char === 'f') this.#literal('false');
    else if (char === 'n') this.#literal('null');
    else this.fail('looking for beginning of value');
  }

  #object(depth: number): void {
    this.position++;
    this.blank();
    if (this.#peek() === '}') return void this.position++;
    for (;;) {
      this.blank();
      if (this.#peek() !== '"') this.fail('looking for beginning of object key string');
      this.#string();
      this.blank();
      if (this.#peek() !== ':') this.fail('after object key');
      this.position++;
      this.value(depth + 1);
      this.blank();
      if (this.#peek() === '}') return void this.position++;
      if (this.#peek() !== ',') this.fail('after object key:value pair');
      this.position++;
    }
  }

  #array(depth: number): void {
    this.position++;
    this.blank();
    if (this.#peek() === ']') return void this.position++;
    for (;;) {
      this.value(depth + 1);
      this.blank();
      if (this.#peek() === ']') return void this.position++;
      if (this.#peek() !== ',') this.fail('after array element');
      this.position++;
    }
  }

  #string(): void {
    this.position++;
    for (;;) {
      const char = this.#peek();
      if (char === '"') return void this.position++;
      if (char === '' || char < ' ') this.fail('in string literal');
      if (char === '\\') {
        this.position++;
        if (!'"\\/bfnrtu'.includes(this.#peek()) || this.#peek() === '') this.fail('in string escape code');
        if (this.#peek() === 'u') {
          for (let i = 0; i < 4; i++) {
            this.position++;
            if (!/^[0-9a-fA-F]$/.test(this.#peek())) this.fail('in \\u hexadecimal character escape');
          }
        }
      }
      this.position++;
    }
  }

  #number(): void {
    if (this.#peek() === '-') {
      this.position++;
      if (!isDigit(this.#peek())) this.fail('in numeric literal');
    }
    if (this.#peek() === '0') this.position++;
    else this.#digits();
    if (this.#peek() === '.') {
      this.position++;
      if (!isDigit(this.#peek())) this.fail('after decimal point in numeric literal');
      this.#digits();
    }
    if (this.#peek() === 'e' || this.#peek() === 'E') {
      this.position++;
      if (this.#peek() === '+' || this.#peek() === '-') this.position++;
      if (!isDigit(this.#peek())) this.fail('in exponent of numeric literal');
      this.#digits();
    }
  }

  #digits(): void {
    while (isDigit(this.#peek())) this.position++;
  }

  #literal(word: string): void {
    for (let i = 0; i < word.length; i++) {
      const expected = word.charAt(i);
      if (this.#peek() !== expected) this.fail(`in literal ${word} (expecting '${expected}')`);
      this.position++;
    }
  }

  #peek(): string {
    return this.#text.charAt(this.position);
  }
}

const isDigit = (char: string): boolean => char >= '0' && char <= '9' && char !== '';

function quoted(text: string, position: number): string {
  const char = String.fromCodePoint(text.codePointAt(position) ?? 0);
  if (char === "'") return "'\\''";
  if (char === '"') return "'\"'";
  if (char >= '\u007f' && char < '\u00a0') return `'\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}'`;
  if (char < ' ') return `'${JSON.stringify(char).slice(1, -1).replace('u00', 'x')}'`;
  return `'${char}'`;
}
