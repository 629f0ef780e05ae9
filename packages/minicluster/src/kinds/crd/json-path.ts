/**
 * The part of kubectl's JSONPath that printer columns and selectable fields use: `.a.b`, `['a.b']`, `[0]`,
 * `[-1]`, `[*]` and `[?(@.type=="Ready")]`.
 */
import { array, isRecord } from '../fields.ts';

type Step = (value: unknown) => unknown[];

/** Undefined if the path cannot be parsed. */
export function compileJsonPath(path: string): ((value: unknown) => unknown[]) | undefined {
  const steps: Step[] = [];
  let rest = path.trim();
  if (rest === '.') return (value) => [value];
  while (rest !== '') {
    const read = TOKENS.map(([pattern, step]) => ({ match: pattern.exec(rest), step })).find(
      ({ match }) => match,
    );
    if (!read?.match) return undefined;
    steps.push(read.step(read.match));
    rest = rest.slice(read.match[0].length);
  }
  return (value) => steps.reduce<unknown[]>((values, step) => values.flatMap(step), [value]);
}

const field =
  (name: string): Step =>
  (value) =>
    isRecord(value) && Object.hasOwn(value, name) ? [value[name]] : [];

const TOKENS: readonly (readonly [RegExp, (match: RegExpExecArray) => Step])[] = [
  [/^\.?\[\*\]|^\.\*/, () => (value) => (isRecord(value) ? Object.values(value) : array(value))],
  [/^\.?\[(-?\d+)\]/, (match) => (value) => elementAt(array(value), Number(match[1]))],
  [/^\.?\[(['"])(.*?)\1\]/, (match) => field(unescaped(match[2] ?? ''))],
  [
    /^\.?\[\?\(\s*@((?:\.[^\s.=!<>]+|\['[^']*'\])+)\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|([^\s)]+))\s*\)\]/,
    (match) => filter(match),
  ],
  [/^\.((?:[^.[\]\\]|\\.)+)/, (match) => field(unescaped(match[1] ?? ''))],
];

const unescaped = (name: string): string => name.replace(/\\(.)/g, '$1');

function elementAt(values: readonly unknown[], index: number): unknown[] {
  const position = index < 0 ? values.length + index : index;
  return position >= 0 && position < values.length ? [values[position]] : [];
}

function filter(match: RegExpExecArray): Step {
  const [, path = '', operator, double, single, bare = ''] = match;
  const read = compileJsonPath(path);
  const wanted = double ?? single ?? bare;
  return (value) =>
    array(value).filter((item) => {
      const [found] = read?.(item) ?? [];
      return (found !== undefined && String(found) === wanted) === (operator === '==');
    });
}
