/** Rules in their stored form: the id is a hash of all fields. */
import { createHash } from 'node:crypto';
import { CONTENT_FORMATS, type ContentRule } from '../reloader/model/content-rule.ts';

export function contentRule(rule: Omit<ContentRule, 'id'>): ContentRule {
  const id = createHash('sha256').update(JSON.stringify(rule)).digest('base64url').slice(0, 16);
  return { id, ...rule };
}

const MOST_ANNOTATED = 64;

/** `a,b` on a source: required keys. */
export function requiredKeysRule(text: string, annotation: string): ContentRule | undefined {
  const requiredKeys = namesIn(text);
  return requiredKeys.length === 0
    ? undefined
    : contentRule({ from: `annotation ${annotation}`, requiredKeys: requiredKeys.slice(0, MOST_ANNOTATED) });
}

/** `app.yaml=yaml,tls.crt=pem` on a source: the formats of keys. */
export function formatRules(text: string, annotation: string): readonly ContentRule[] {
  const from = `annotation ${annotation}`;
  return namesIn(text)
    .slice(0, MOST_ANNOTATED)
    .map((item) => {
      const at = item.lastIndexOf('=');
      const key = item.slice(0, Math.max(0, at)).trim();
      const format = CONTENT_FORMATS.find((each) => each === item.slice(at + 1).trim());
      if (key !== '' && format) return contentRule({ from, requiredKeys: [], key, format });
      const broken = `write KEY=FORMAT, with one of ${CONTENT_FORMATS.join(', ')}`;
      return contentRule({ from, requiredKeys: [], broken });
    });
}

function namesIn(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
