/**
 * Reads `spec.validate` of a ReloaderConfig. An invalid entry is a problem and is kept: reloads for its sources are
 * held until a user corrects it.
 */
import { compileExpression, SELF } from '../../expressions/expression.ts';
import { contentRule } from '../../validate/rule.ts';
import { readSchema } from '../../validate/schema/read.ts';
import { CONTENT_FORMATS, type ConfigRule, type ContentRule } from '../model/content-rule.ts';
import type { Fields } from './config-fields.ts';

export const MOST_RULES = 16;
const MOST_KEYS = 64;
const LONGEST_MESSAGE = 256;

/** `config`: `namespace/name`. */
export function contentRulesOf(spec: Fields, config: string): readonly ConfigRule[] {
  const entries = spec.objects('validate');
  if (entries.length > MOST_RULES) spec.problem('validate', `has more than ${MOST_RULES} entries`);
  return entries.slice(0, MOST_RULES).map((entry, index) => {
    const broken: string[] = [];
    const from = `spec.validate[${index}] of ReloaderConfig ${config}`;
    const said = ruleOf(entry, (field, problem) => {
      entry.problem(field, problem);
      broken.push(`${field} ${problem}`);
    });
    const [first] = broken;
    const rule = contentRule(
      first === undefined ? { from, ...said } : { from, requiredKeys: [], broken: first },
    );
    return { source: sourceOf(entry), rule };
  });
}

type Complain = (field: string, problem: string) => void;

function sourceOf(entry: Fields): ConfigRule['source'] {
  if (!entry.has('source')) return undefined;
  const given = entry.object('source');
  const kind = given.choice('kind', ['ConfigMap', 'Secret'] as const);
  if (kind === undefined && !given.has('kind')) given.problem('kind', 'is required');
  const name = given.name('name');
  return kind && name !== undefined ? { kind, name } : undefined;
}

function ruleOf(entry: Fields, complain: Complain): Omit<ContentRule, 'id' | 'from'> {
  const key = entry.text('key') || undefined;
  const format = CONTENT_FORMATS.find((each) => each === entry.any('format'));
  if (entry.has('format') && !format) complain('format', `must be one of ${CONTENT_FORMATS.join(', ')}`);
  const requiredKeys = entry.names('requiredKeys').slice(0, MOST_KEYS);
  const message = entry.text('message')?.slice(0, LONGEST_MESSAGE) || undefined;
  const expiresInMs = entry.duration('expiresIn');
  if (entry.has('expiresIn') && expiresInMs === undefined) complain('expiresIn', 'is no duration');
  if (entry.has('expiresIn') && format !== 'pem') complain('expiresIn', 'needs format: pem');
  for (const field of ['format', 'rule', 'schema']) {
    if (entry.has(field) && key === undefined) complain(field, 'needs a key');
  }
  const isParsed = format !== undefined && format !== 'pem';
  for (const field of ['rule', 'schema']) {
    if (entry.has(field) && !isParsed && (format || !entry.has('format')))
      complain(field, 'needs format: yaml, json or properties');
  }
  if (requiredKeys.length === 0 && format === undefined && !entry.has('format'))
    complain('requiredKeys', 'or format is needed: without them nothing is checked');
  const rule = celOf(entry, complain);
  const schema = schemaOf(entry, complain);
  return {
    requiredKeys,
    ...(key !== undefined && { key }),
    ...(format && { format }),
    ...(expiresInMs !== undefined && { expiresInMs }),
    ...(rule !== undefined && { rule }),
    ...(schema && { schema }),
    ...(message !== undefined && { message }),
  };
}

function celOf(entry: Fields, complain: Complain): string | undefined {
  const rule = entry.text('rule');
  if (rule === undefined) return undefined;
  const compiled = compileExpression(rule, SELF);
  if (!('problem' in compiled)) return rule;
  complain('rule', `is no expression of CEL: ${compiled.problem}`);
  return undefined;
}

function schemaOf(entry: Fields, complain: Complain): object | undefined {
  if (!entry.has('schema')) return undefined;
  const read = readSchema(entry.any('schema'));
  if ('schema' in read) return read.schema;
  complain('schema', `cannot be used: ${read.problem}`);
  return undefined;
}
