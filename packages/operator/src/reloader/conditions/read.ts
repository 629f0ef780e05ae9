/** Compiles conditions, each once. Pure except for its cache. */
import { compileExpression, type Expression, type Problem } from '../../expressions/expression.ts';
import { LIMITS } from '../../expressions/limits.ts';

export type { Measured } from '../../expressions/expression.ts';
export const STEPS_TOGETHER = LIMITS.stepsTogether;

/** Metadata only: the content is hashed on arrival, and times are the job of windows. */
const VARIABLES = {
  source: {
    kind: 'string',
    namespace: 'string',
    name: 'string',
    labels: 'map<string, string>',
    keys: 'list<string>',
  },
  workload: {
    kind: 'string',
    namespace: 'string',
    name: 'string',
    labels: 'map<string, string>',
    replicas: 'int',
    available: 'int',
  },
} as const;

/** A config has one text, and a thousand targets use it. */
const compiled = new Map<string, Expression | Problem>();
const MOST_COMPILED = 200;

export function readCondition(text: string): Expression | Problem {
  // Refused for its length: not cached.
  if (text.length > LIMITS.bytes) return compileExpression(text, VARIABLES);
  let known = compiled.get(text);
  if (!known) {
    if (compiled.size >= MOST_COMPILED) compiled.clear();
    known = compileExpression(text, VARIABLES);
    compiled.set(text, known);
  }
  return known;
}

/** The mistake, and how to correct it; undefined: none. */
export function conditionProblem(text: string): string | undefined {
  const read = readCondition(text);
  if (!('problem' in read)) return undefined;
  return `is no condition (${read.problem}): write a CEL expression over source and workload, such as "source.labels['env'] == 'prod'"`;
}
