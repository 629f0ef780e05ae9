/** Parses tokens to a tree. Every error that does not depend on the data is reported here. */
import { errorAt, SourceError } from './error.ts';
import { lex, type Token, type TokenKind } from './lex.ts';
import { charLiteral, numberLiteral, stringLiteral } from './literals.ts';
import type { Command, Definitions, Node, Operand, Pipeline } from './tree.ts';

/** Deeper than any hand-written template, and far from exhausting the stack. */
const DEEPEST = 100;

export interface Parsed {
  readonly root: readonly Node[];
  readonly definitions: Definitions;
}

export function parse(name: string, source: string, functions: ReadonlySet<string>): Parsed {
  const fail = (at: number, message: string): never => {
    throw errorAt(name, source, at, message);
  };
  try {
    return new Parser(lex(source), functions, fail).parse();
  } catch (error) {
    if (error instanceof SourceError) return fail(error.at, error.message);
    throw error;
  }
}

type Block = 'top' | 'if' | 'with' | 'range' | 'define' | 'block';
interface Body {
  readonly nodes: Node[];
  /** The keyword that ended it, or the end of the source. */
  readonly ended: 'end' | 'else' | 'source';
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #functions: ReadonlySet<string>;
  readonly #fail: (at: number, message: string) => never;
  readonly #definitions = new Map<string, readonly Node[]>();
  #position = 0;
  #variables: string[] = ['$'];
  #depth = 0;
  #loops = 0;

  constructor(
    tokens: readonly Token[],
    functions: ReadonlySet<string>,
    fail: (at: number, message: string) => never,
  ) {
    this.#tokens = tokens;
    this.#functions = functions;
    this.#fail = fail;
  }

  parse(): Parsed {
    const { nodes } = this.#body('top');
    return { root: nodes, definitions: this.#definitions };
  }

  #body(block: Block): Body {
    if (++this.#depth > DEEPEST) this.#fail(this.#peek().at, `nested deeper than ${DEEPEST} levels`);
    const nodes: Node[] = [];
    for (;;) {
      const token = this.#next();
      if (token.kind === 'text') nodes.push({ kind: 'text', text: token.text });
      else if (token.kind === 'end') {
        if (block !== 'top') this.#fail(token.at, `unexpected end of the template: {{end}} is missing`);
        this.#depth -= 1;
        return { nodes, ended: 'source' };
      } else {
        this.#skipSpace();
        const word = this.#peek();
        if (word.kind === 'keyword' && (word.text === 'end' || word.text === 'else')) {
          if (block === 'top') this.#fail(word.at, `unexpected {{${word.text}}}`);
          this.#next();
          if (word.text === 'end') this.#expectClose('end');
          this.#depth -= 1;
          return { nodes, ended: word.text };
        }
        const node = this.#action(block, token.at);
        if (node) nodes.push(node);
      }
    }
  }

  #action(block: Block, at: number): Node | undefined {
    const word = this.#peek();
    if (word.kind !== 'keyword') {
      const pipeline = this.#pipeline('command', 'close');
      return { kind: 'action', at, pipeline };
    }
    this.#next();
    switch (word.text) {
      case 'if':
      case 'with':
      case 'range':
        return this.#control(word.text, at);
      case 'break':
      case 'continue':
        this.#expectClose(word.text);
        if (this.#loops === 0) this.#fail(word.at, `{{${word.text}}} outside {{range}}`);
        return { kind: word.text, at };
      case 'define':
        return this.#define(block, word);
      case 'template':
        return this.#template(at);
      default:
        return this.#blockAction(at);
    }
  }

  #control(kind: 'if' | 'with' | 'range', at: number): Node {
    const scope = this.#variables.length;
    const pipeline = this.#pipeline(kind, 'close');
    if (kind === 'range') this.#loops += 1;
    const { nodes: body, ended } = this.#body(kind);
    if (kind === 'range') this.#loops -= 1;
    const otherwise = ended === 'else' ? this.#otherwise(kind) : [];
    this.#variables.length = scope;
    return { kind, at, pipeline, body, otherwise };
  }

  /** `{{else}}`, `{{else if …}}`, `{{else with …}}`. */
  #otherwise(kind: 'if' | 'with' | 'range'): readonly Node[] {
    this.#skipSpace();
    const word = this.#peek();
    if (word.kind === 'keyword' && (word.text === 'if' || word.text === 'with') && word.text === kind) {
      this.#next();
      // It shares the {{end}} of the outer one.
      return [this.#control(kind, word.at)];
    }
    this.#expectClose('else');
    const { nodes, ended } = this.#body(kind);
    if (ended === 'else') this.#fail(this.#peek().at, 'expected {{end}}, found a second {{else}}');
    return nodes;
  }

  #define(block: Block, { at }: Token): undefined {
    if (block !== 'top') this.#fail(at, 'unexpected {{define}}: it stands only at the top');
    const name = this.#name('define');
    this.#expectClose('define');
    this.#keep(name, this.#separate('define'), at);
    return undefined;
  }

  #blockAction(at: number): Node {
    const name = this.#name('block');
    const pipeline = this.#pipeline('block', 'close');
    this.#keep(name, this.#separate('block'), at);
    return { kind: 'template', at, name, pipeline };
  }

  /** A body with its own variables. */
  #separate(kind: 'define' | 'block'): readonly Node[] {
    const variables = this.#variables;
    const loops = this.#loops;
    this.#variables = ['$'];
    this.#loops = 0;
    const { nodes, ended } = this.#body(kind);
    if (ended === 'else') this.#fail(this.#peek().at, `unexpected {{else}} in {{${kind}}}`);
    this.#variables = variables;
    this.#loops = loops;
    return nodes;
  }

  #keep(name: string, body: readonly Node[], at: number): void {
    const isEmpty = (nodes: readonly Node[]): boolean =>
      nodes.every((node) => node.kind === 'text' && node.text.trim() === '');
    const before = this.#definitions.get(name);
    if (before && !isEmpty(before) && !isEmpty(body)) {
      this.#fail(at, `multiple definition of template ${JSON.stringify(name)}`);
    }
    if (!before || isEmpty(before)) this.#definitions.set(name, body);
  }

  #template(at: number): Node {
    const name = this.#name('template');
    this.#skipSpace();
    if (this.#peek().kind === 'close') {
      this.#next();
      return { kind: 'template', at, name, pipeline: undefined };
    }
    return { kind: 'template', at, name, pipeline: this.#pipeline('template', 'close') };
  }

  #name(what: string): string {
    this.#skipSpace();
    const token = this.#next();
    if (token.kind !== 'string') this.#fail(token.at, `{{${what}}} needs a name in quotes`);
    return this.#literal(token, stringLiteral);
  }

  #pipeline(what: string, end: 'close' | 'paren-close'): Pipeline {
    if (++this.#depth > DEEPEST) this.#fail(this.#peek().at, `nested deeper than ${DEEPEST} levels`);
    this.#skipSpace();
    const { at } = this.#peek();
    const { variables, assigns } = this.#declaration(what);
    const commands: Command[] = [];
    for (;;) {
      this.#skipSpace();
      const token = this.#peek();
      if (token.kind === end) {
        this.#next();
        break;
      }
      if (token.kind === 'end') this.#fail(at, 'unclosed action');
      commands.push(this.#command(end));
    }
    if (commands.length === 0) this.#fail(at, `missing value for ${what}`);
    for (const { operands } of commands.slice(1)) {
      const [first] = operands;
      if (first && !['function', 'field', 'variable', 'chain'].includes(first.kind)) {
        this.#fail(first.at, 'a constant cannot take the value of the command before it');
      }
    }
    if (!assigns) this.#variables.push(...variables);
    this.#depth -= 1;
    return { at, variables, assigns, commands };
  }

  #declaration(what: string): { variables: string[]; assigns: boolean } {
    const start = this.#position;
    const first = this.#peek();
    if (first.kind !== 'variable') return { variables: [], assigns: false };
    this.#next();
    this.#skipSpace();
    const sign = this.#next();
    if (sign.kind === 'declare') return { variables: [first.text], assigns: false };
    if (sign.kind === 'assign') {
      if (!this.#variables.includes(first.text)) this.#fail(first.at, `undefined variable ${first.text}`);
      return { variables: [first.text], assigns: true };
    }
    if (sign.kind === 'comma' && what === 'range') {
      this.#skipSpace();
      const second = this.#next();
      this.#skipSpace();
      const ending = this.#next();
      if (second.kind !== 'variable') this.#fail(second.at, 'range can only initialize variables');
      if (ending.kind === 'declare') return { variables: [first.text, second.text], assigns: false };
      if (ending.kind === 'assign') return { variables: [first.text, second.text], assigns: true };
      this.#fail(ending.at, 'expected := behind the variables of range');
    }
    this.#position = start;
    return { variables: [], assigns: false };
  }

  #command(end: TokenKind): Command {
    const { at } = this.#peek();
    const operands: Operand[] = [];
    for (;;) {
      this.#skipSpace();
      const operand = this.#operand();
      if (operand) operands.push(operand);
      const token = this.#next();
      if (token.kind === 'space') {
        const next = this.#peek();
        if (next.kind !== 'pipe') continue;
        this.#next();
        break;
      }
      if (token.kind === end || token.kind === 'close' || token.kind === 'paren-close') {
        this.#position -= 1;
        if (token.kind !== end)
          this.#fail(token.at, token.kind === 'close' ? 'unclosed left paren' : 'unexpected right paren');
        break;
      }
      if (token.kind === 'pipe') break;
      if (token.kind === 'end') this.#fail(at, 'unclosed action');
      this.#fail(token.at, `unexpected ${JSON.stringify(token.text)} in operand`);
    }
    if (operands.length === 0) this.#fail(at, 'empty command');
    return { at, operands };
  }

  #operand(): Operand | undefined {
    const term = this.#term();
    if (!term) return undefined;
    const path: string[] = [];
    while (this.#peek().kind === 'field') path.push(this.#next().text.slice(1));
    if (path.length === 0) return term;
    switch (term.kind) {
      case 'field':
      case 'variable':
        return { ...term, path: [...term.path, ...path] };
      case 'chain':
        return { ...term, path };
      case 'dot':
        return { kind: 'field', at: term.at, path };
      case 'function': {
        const pipeline = {
          at: term.at,
          variables: [],
          assigns: false,
          commands: [{ at: term.at, operands: [term] }],
        };
        return { kind: 'chain', at: term.at, pipeline, path };
      }
      default:
        return this.#fail(term.at, 'unexpected . after a constant');
    }
  }

  #term(): Operand | undefined {
    const token = this.#peek();
    const { at, text } = token;
    const take = <T extends Operand>(operand: T): T => {
      this.#next();
      return operand;
    };
    switch (token.kind) {
      case 'identifier':
        if (!this.#functions.has(text)) this.#fail(at, `function ${JSON.stringify(text)} not defined`);
        return take({ kind: 'function', at, name: text });
      case 'dot':
        return take({ kind: 'dot', at });
      case 'nil':
        return take({ kind: 'nil', at });
      case 'variable':
        if (!this.#variables.includes(text)) this.#fail(at, `undefined variable ${JSON.stringify(text)}`);
        return take({ kind: 'variable', at, name: text, path: [] });
      case 'field':
        return take({ kind: 'field', at, path: [text.slice(1)] });
      case 'bool':
        return take({ kind: 'constant', at, value: text === 'true' });
      case 'string':
        return take({ kind: 'constant', at, value: this.#literal(token, stringLiteral) });
      case 'char':
        return take({ kind: 'constant', at, value: this.#literal(token, charLiteral) });
      case 'number':
        return take({ kind: 'constant', at, value: this.#literal(token, numberLiteral) });
      case 'paren-open':
        this.#next();
        return {
          kind: 'chain',
          at,
          pipeline: this.#pipeline('parenthesized pipeline', 'paren-close'),
          path: [],
        };
      default:
        return undefined;
    }
  }

  #literal<T>(token: Token, read: (text: string) => T | undefined): T {
    const value = read(token.text);
    return value === undefined ? this.#fail(token.at, `bad syntax: ${token.text}`) : value;
  }

  #expectClose(what: string): void {
    this.#skipSpace();
    const token = this.#next();
    if (token.kind !== 'close')
      this.#fail(token.at, `unexpected ${JSON.stringify(token.text)} in {{${what}}}`);
  }

  #skipSpace(): void {
    while (this.#peek().kind === 'space') this.#position += 1;
  }

  #peek(): Token {
    return this.#tokens[Math.min(this.#position, this.#tokens.length - 1)] as Token;
  }

  #next(): Token {
    const token = this.#peek();
    this.#position += 1;
    return token;
  }
}
