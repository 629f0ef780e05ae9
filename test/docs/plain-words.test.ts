import { describe, expect, test } from 'vitest';
import { findings } from '../../scripts/plain-words.mjs';

describe('The word list of npm run check', () => {
  test.each([
    [
      'packages/runtime/src/a.ts',
      '// Whoever asks gets it.',
      /^packages\/runtime\/src\/a\.ts:1: "Whoever": name the actor/,
    ],
    ['packages/runtime/src/a.ts', "log.warn('fails without a word');", /"without a word": "silently"/],
    ['packages/runtime/src/a.ts', '  /** What a pass returns. */', /begin with the noun/],
    ['docs/glossary.md', 'It is retried at growing distances.', /"with exponential backoff"/],
    ['packages/operator/src/a.ts', '// Retried at growing distances.', /"with exponential backoff"/],
  ])('names place and better words: %s, %s', (file, text, finding) => {
    expect(findings(file, text)).toEqual([expect.stringMatching(finding)]);
  });

  test('counts lines from 1 and finds every phrase of a line', () => {
    expect(findings('docs/adr/x.md', 'Plain.\nWhoever retries with growing pauses.')).toEqual([
      expect.stringMatching(/^docs\/adr\/x\.md:2: "growing pauses"/),
      expect.stringMatching(/^docs\/adr\/x\.md:2: "Whoever"/),
    ]);
  });

  test('the operator is held to the whole list, charts and configuration to the short one', () => {
    expect(findings('packages/operator/src/a.ts', '// Whoever asks gets it.')).toHaveLength(1);
    expect(findings('charts/reloader/values.yaml', '# Whoever asks gets it.')).toEqual([]);
  });
});
