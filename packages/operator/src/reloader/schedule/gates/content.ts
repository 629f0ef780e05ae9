/**
 * The changed content violates its rules. Neither `now` nor an approval overrides this; it holds this content only, and
 * newer content is checked by itself.
 */
import { findingText } from '../../model/content-rule.ts';
import type { Gate } from './gate.ts';

export const invalidContent: Gate = {
  why: 'invalid',
  check({ contents = [] }) {
    const [first] = contents;
    const [finding] = first?.findings ?? [];
    if (!first || !finding) return undefined;
    const { kind, namespace, name } = first.source;
    const count = contents.reduce((sum, { findings }) => sum + findings.length, -1);
    const more = count > 0 ? `; and ${count} more` : '';
    const what = `The content of ${kind} ${namespace}/${name} is not what it has to be: ${findingText(finding)}${more}`;
    const message = `${what}. Nothing is rolled out until it is put right: content that passes goes through at once`;
    return {
      until: undefined,
      message,
      warnings: [{ condition: 'InvalidChange', event: 'InvalidChange', message }],
    };
  },
};
