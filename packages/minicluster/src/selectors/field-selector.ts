/** Field selectors in the syntax of the `fieldSelector` parameter: `metadata.name=web,status.phase!=Running`. */
import { badRequest } from '../model/status.ts';

export interface FieldRequirement {
  readonly field: string;
  readonly negated: boolean;
  readonly value: string;
}

/** Throws a 400 `StatusError` in the server's words. The kind decides which fields exist. */
export function parseFieldSelector(text: string): FieldRequirement[] {
  return splitTerms(text)
    .filter((term) => term !== '')
    .sort()
    .map((term) => parseTerm(term, text));
}

/** The required value of `field`; undefined if the selector has none. */
export function requiredValue(requirements: readonly FieldRequirement[], field: string): string | undefined {
  return requirements.find((requirement) => requirement.field === field && !requirement.negated)?.value;
}

/** True if all requirements hold for `fields`; an absent field has the empty value. */
export function fieldsMatch(
  requirements: readonly FieldRequirement[],
  fields: Readonly<Record<string, string>>,
): boolean {
  return requirements.every(({ field, negated, value }) => ((fields[field] ?? '') === value) !== negated);
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let term = '';
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index);
    if (char === '\\') {
      term += char + text.charAt(++index);
    } else if (char === ',') {
      terms.push(term);
      term = '';
    } else {
      term += char;
    }
  }
  return [...terms, term];
}

function parseTerm(term: string, selector: string): FieldRequirement {
  const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
  if (!match) throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
  const [, field = '', operator, value = ''] = match;
  return { field, negated: operator === '!=', value: unescaped(value) };
}

function unescaped(value: string): string {
  let plain = '';
  for (let index = 0; index < value.length; index++) {
    const char = value.charAt(index);
    if (char === '\\') {
      const next = value.charAt(++index);
      if (next !== '\\' && next !== ',' && next !== '=') {
        throw badRequest(`invalid field selector: invalid escape sequence: \\${next}`);
      }
      plain += next;
    } else if (char === '=') {
      // The server prints the character's code here.
      throw badRequest(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    } else {
      plain += char;
    }
  }
  return plain;
}
