/**
 * Checks a content against its rules. Pure: a function of the bytes, the rules and the time.
 *
 * In: the keys of a Secret or ConfigMap, and the values of those that the rules name. Out: findings by key, place and
 * rule. Guarantees: no content makes it throw, and no finding contains a part of the content.
 */
import { compileExpression, type Expression, SELF } from '../expressions/expression.ts';
import type { ContentFinding, ContentRule, ContentVerdict } from '../reloader/model/content-rule.ts';
import type { Content } from './content.ts';
import { parseJson } from './formats/json.ts';
import { checkPem } from './formats/pem.ts';
import { parseProperties } from './formats/properties.ts';
import { parseYaml } from './formats/yaml.ts';
import { DEEPEST, type Mistake, type Parsed, TOO_DEEP } from './parsed.ts';
import { compare } from './schema/compare.ts';
import type { Schema } from './schema/keywords.ts';
import { readText } from './text.ts';

const MOST_FINDINGS = 10;
const MOST_EXPRESSIONS = 64;

export function checkContent(content: Content, rules: readonly ContentRule[], now: number): ContentVerdict {
  const parsed = new Map<string, Parsed>();
  const answers = rules.map((rule) => answerOf(content, rule, now, parsed));
  const times = answers.flatMap(({ until }) => until ?? []);
  return {
    findings: answers.flatMap(({ findings }) => findings).slice(0, MOST_FINDINGS),
    ...(times.length > 0 && { until: Math.min(...times) }),
  };
}

function answerOf(
  { keys, values }: Content,
  rule: ContentRule,
  now: number,
  known: Map<string, Parsed>,
): ContentVerdict {
  const { from, message, key, format, requiredKeys, broken } = rule;
  const asked = { from, ...(message !== undefined && { message }) };
  if (broken !== undefined) return { findings: [{ from, what: `cannot be checked: ${broken}` }] };
  const missing = requiredKeys
    .filter((each) => !keys.includes(each))
    .map((each): ContentFinding => ({ ...asked, key: each, what: 'is missing' }));
  const bytes = key === undefined ? undefined : values.get(key);
  if (key === undefined || bytes === undefined || format === undefined) return { findings: missing };
  const { mistakes, until } = valueAnswer(bytes, { ...rule, key, format }, now, known);
  return {
    findings: [...missing, ...mistakes.map((each) => ({ ...asked, key, ...each }))],
    ...(until !== undefined && { until }),
  };
}

type FormatRule = ContentRule & Required<Pick<ContentRule, 'key' | 'format'>>;
type Located = Mistake & { readonly path?: string };

function valueAnswer(
  bytes: Uint8Array,
  rule: FormatRule,
  now: number,
  known: Map<string, Parsed>,
): { readonly mistakes: readonly Located[]; readonly until?: number } {
  const text = readText(bytes);
  if (typeof text !== 'string') return { mistakes: [text] };
  const { key, format, expiresInMs = 0 } = rule;
  if (format === 'pem') return checkPem(text, now, expiresInMs);
  const name = `${format} ${key}`;
  const parsed = known.get(name) ?? PARSERS[format](text);
  known.set(name, parsed);
  if ('mistakes' in parsed) return parsed;
  const { documents } = parsed;
  return {
    mistakes: documents.flatMap((document, index) =>
      documentMistakes(document, rule).map((each) => ({
        ...each,
        ...(documents.length > 1 && { path: `document ${index + 1}${each.path ? ` ${each.path}` : ''}` }),
      })),
    ),
  };
}

const PARSERS = { json: parseJson, yaml: parseYaml, properties: parseProperties } as const;

function documentMistakes(document: unknown, { rule, schema }: ContentRule): readonly Located[] {
  if (rule === undefined && schema === undefined) return [];
  // YAML aliases can nest deeper than the text.
  if (depthOf(document) > DEEPEST) return [{ what: TOO_DEEP }];
  return [
    ...(schema === undefined ? [] : compare(document, schema as Schema)),
    ...(rule === undefined ? [] : ruleMistakes(document, rule)),
  ];
}

function ruleMistakes(self: unknown, text: string): readonly Located[] {
  const expression = expressionOf(text);
  const answer = 'problem' in expression ? expression : expression.evaluate({ self });
  if ('problem' in answer) return [{ what: `the rule cannot be asked: ${answer.problem}` }];
  return answer.value ? [] : [{ what: 'breaks the rule' }];
}

/** Stops counting beyond the limit. */
function depthOf(value: unknown, above = 0): number {
  if (typeof value !== 'object' || value === null || above > DEEPEST) return above;
  let deepest = above + 1;
  for (const child of Object.values(value)) deepest = Math.max(deepest, depthOf(child, above + 1));
  return deepest;
}

const expressions = new Map<string, ReturnType<typeof compileExpression>>();

function expressionOf(text: string): Expression | { readonly problem: string } {
  const known = expressions.get(text) ?? compileExpression(text, SELF);
  if (expressions.size >= MOST_EXPRESSIONS) expressions.clear();
  expressions.set(text, known);
  return known;
}
