/**
 * About the number of instructions that an expression compiles to, estimated from its text: repetitions multiply their
 * operand, so a few characters can mean a million. Called before compiling, and linear in the text.
 */
export function expressionSize(item: string): number {
  /** The size before each open parenthesis. */
  const open: number[] = [];
  let before = 0;
  let last = 0;
  const atom = (size: number): void => {
    before += last;
    last = size;
  };
  for (let index = 0; index < item.length; index++) {
    const character = item[index];
    if (character === '\\') {
      index += 1;
      atom(1);
    } else if (character === '[') {
      index = endOfClass(item, index);
      atom(1);
    } else if (character === '(') {
      atom(0);
      open.push(before);
      before = 0;
    } else if (character === ')') {
      const inside = before + last + 2;
      before = open.pop() ?? 0;
      last = inside;
    } else if (character === '{') {
      const [text = '', count = '1'] = /^\{(\d{1,5})\}/.exec(item.slice(index, index + 8)) ?? [];
      if (text === '') atom(1);
      else {
        last = Math.max(1, last) * Math.max(1, Number(count));
        index += text.length - 1;
      }
    } else if (character === '*' || character === '+' || character === '?' || character === '|') {
      last += 1;
    } else {
      atom(1);
    }
  }
  return open.reduce((sum, size) => sum + size, before + last);
}

/** A Unicode class is a table of hundreds of ranges, which is copied, and case-folded if case is ignored. */
const UNICODE_COST = 40;
const CLASS_COST = 3;

/** The cost of compiling, in instructions: some characters cost far more than the instruction that they compile to. */
export function compileCost(item: string): number {
  const unicode = count(item, /\\[pP]/g) * UNICODE_COST;
  const classes = count(item, /\[/g) * CLASS_COST;
  const folds = /\(\?[a-zA-Z]*i/.test(item) ? 2 : 1;
  return (expressionSize(item) + unicode + classes) * folds + Math.ceil(item.length / 8);
}

function count(text: string, expression: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(expression)) found += 1;
  return found;
}

/** The closing bracket of a class; a bracket in first place is part of the class. */
function endOfClass(item: string, start: number): number {
  let index = start + 1;
  if (item[index] === '^') index += 1;
  if (item[index] === ']') index += 1;
  // Searched only once if there is none: unclosed class names must not make this quadratic.
  let named = true;
  for (; index < item.length; index++) {
    if (item[index] === '\\') index += 1;
    else if (item[index] === ']') return index;
    else if (named && item[index] === '[' && item[index + 1] === ':') {
      const end = item.indexOf(':]', index + 2);
      if (end < 0) named = false;
      else index = end + 1;
    }
  }
  return item.length;
}
