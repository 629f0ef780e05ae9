/** Label selectors in the syntax of the `labelSelector` parameter: `app=web,tier in (a, b),!legacy`. */
import { badRequest } from '../model/status.ts';
import { labelKeyProblem, labelValueProblem } from './label-syntax.ts';
import { type Token, tokenize } from './label-tokens.ts';

export type Labels = Readonly<Record<string, string>> | undefined;
export type LabelMatcher = (labels: Labels) => boolean;

type Operator = 'exists' | 'absent' | 'in' | 'notin' | '=' | '==' | '!=' | '>' | '<';

export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

/** The requirements of a selector, all of which must hold. Throws a 400 `StatusError` in the server's words. */
export function parseLabelSelector(text: string): Requirement[] {
  return new Parser(tokenize(text)).parse();
}

/** Undefined if everything matches, so that callers can skip the test. */
export function labelMatcher(text: string): LabelMatcher | undefined {
  const requirements = parseLabelSelector(text);
  if (requirements.length === 0) return undefined;
  return (labels) => requirements.every((requirement) => holds(requirement, labels));
}

function holds({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case 'absent':
      return value === undefined;
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value);
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value);
    default: {
      if (value === undefined || !INTEGER.test(value)) return false;
      const difference = BigInt(value) - BigInt(values[0] ?? '0');
      return operator === '>' ? difference > 0n : difference < 0n;
    }
  }
}

const INTEGER = /^[+-]?[0-9]+$/;
const BINARY = new Set(['in', 'notin', '=', '==', '!=', '>', '<']);

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const next = this.#peek();
      if (next.type === 'end') return requirements;
      if (next.type !== 'word' && next.text !== '!') {
        throw badRequest(`found '${next.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const separator = this.#take();
      if (separator.type === 'end') return requirements;
      if (separator.text !== ',') {
        throw badRequest(`found '${separator.text}', expected: ',' or 'end of string'`);
      }
      const after = this.#peek();
      if (after.type !== 'word' && after.text !== '!') {
        throw badRequest(`found '${after.text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): Requirement {
    let token = this.#take();
    const negated = token.text === '!' && token.type === 'symbol';
    if (negated) token = this.#take();
    if (token.type !== 'word') throw unparsable(`found '${token.text}', expected: identifier`);
    const key = token.text;
    const problem = labelKeyProblem(key);
    if (problem) throw unparsable(`<nil>: ${problem}`);
    if (negated) return { key, operator: 'absent', values: [] };
    const next = this.#peek();
    if (next.type === 'end' || next.text === ',') return { key, operator: 'exists', values: [] };
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#valueSet() : [this.#singleValue()];
    return this.#checked({ key, operator, values });
  }

  #operator(): Operator {
    const token = this.#take();
    if (BINARY.has(token.text)) return token.text as Operator;
    throw unparsable(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
  }

  #valueSet(): string[] {
    const open = this.#take();
    if (open.text !== '(') throw unparsable(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    const listed = first.type === 'word' || first.text === ',' || first.text === ')';
    if (!listed) throw unparsable(`found '${first.text}', expected: ',', ')' or identifier`);
    const values = new Set<string>();
    // A value may be empty: `(,a)`, `(a,)` and `()` all name the empty string.
    let empty = true;
    for (;;) {
      const token = this.#take();
      if (token.type === 'word') {
        const follower = this.#peek();
        if (follower.text !== ',' && follower.text !== ')') {
          throw unparsable(`found '${follower.text}', expected: ',' or ')'`);
        }
        values.add(token.text);
        empty = false;
      } else if (token.text === ',' || token.text === ')') {
        if (empty) values.add('');
        if (token.text === ')') return [...values].sort();
        empty = true;
      } else {
        throw unparsable(`found '${token.text}', expected: ',', or identifier`);
      }
    }
  }

  #singleValue(): string {
    const next = this.#peek();
    if (next.type === 'end' || next.text === ',') return '';
    this.#take();
    if (next.type === 'word') return next.text;
    throw unparsable(`found '${next.text}', expected: identifier`);
  }

  #checked(requirement: Requirement): Requirement {
    const { key, operator, values } = requirement;
    const problems: string[] = [];
    if (operator === '>' || operator === '<') {
      if (!INTEGER.test(values[0] ?? '')) {
        const shown = JSON.stringify(values[0]);
        problems.push(
          `values[0]: Invalid value: ${shown}: for 'Gt', 'Lt' operators, the value must be an integer`,
        );
      }
    }
    values.forEach((value, index) => {
      const problem = labelValueProblem(value);
      if (problem) problems.push(`values[${index}][${key}]: ${problem}`);
    });
    if (problems.length === 0) return requirement;
    throw unparsable(problems.length === 1 ? `${problems[0]}` : `[${problems.join(', ')}]`);
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? END;
  }

  #take(): Token {
    return this.#tokens[this.#position++] ?? END;
  }
}

const END: Token = { type: 'end', text: '' };
const unparsable = (why: string) => badRequest(`unable to parse requirement: ${why}`);
