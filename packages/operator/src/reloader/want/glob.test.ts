import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { globOf } from './glob.ts';

test.each(['web-.*', '.*-tls', 'app.config', 'a.+b', '.*', '.', 'web\\.conf', 'a.*b.*c', '.*.*'])(
  '%s needs no expression engine',
  (item) => {
    expect(globOf(item)).toBeDefined();
  },
);

test.each(['a*', 'a|b', '[a]', '(a)', 'a?', 'a.*?', 'a.**', 'a{2}', '\\d', '^a', 'a$', '', 'ä'])(
  '%s does',
  (item) => {
    expect(globOf(item)).toBeUndefined();
  },
);

test('it matches the same names as the expression', () => {
  const item = fc
    .array(fc.constantFrom('a', 'b', '-', '.', '.*', '.+', '\\.'), { minLength: 1, maxLength: 8 })
    .map((parts) => parts.join(''));
  const name = fc.array(fc.constantFrom('a', 'b', '-', '.'), { maxLength: 10 }).map((all) => all.join(''));
  fc.assert(
    fc.property(item, name, (pattern, text) => {
      const glob = globOf(pattern);
      fc.pre(glob !== undefined);
      expect(glob?.(text)).toBe(RE2JS.compile(`^${pattern}$`).test(text));
    }),
    { numRuns: 3_000 },
  );
});
