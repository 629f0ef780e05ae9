import { describe, expect, it } from 'vitest';
import { expressionSize } from './expression-size.ts';
import { createNamedListCache, LARGEST_PROGRAM, namedList, parseNamedList } from './named-list.ts';

describe('a list by name', () => {
  it('tells the plain names apart from expressions', () => {
    const list = parseNamedList('db, app.config , web-.*,Upper,-x');
    expect(list.names).toEqual(['db', 'app.config']);
    expect(list.hasPatterns).toBe(true);
  });

  it('needs no look at other names when it holds plain ones only', () => {
    expect(parseNamedList('db,web-tls').hasPatterns).toBe(false);
  });

  it('reports a bad item with the reason and goes on with the others', () => {
    const list = parseNamedList('(,db,[z-a]');
    expect(list.problems.map(({ item }) => item)).toEqual(['(', '[z-a]']);
    expect(list.problems[0]?.message).toContain('missing closing )');
    expect(list.matches('db')).toBe(true);
  });

  it('matches no name by an expression that only an empty one has', () => {
    expect(parseNamedList(',,').matches('')).toBe(false);
  });

  it('finds the same names with and without its shortcut for literal beginnings', () => {
    const names = ['web', 'web-a', 'we', 'w', 'xweb', 'webb', 'a-web', 'wbb', 'wb'];
    // The group in front switches the shortcut off and means the same.
    for (const item of ['web.*', 'web?', 'web*', 'we{2}b?', 'web+', 'we.', 'w[e-x]b', 'we|b']) {
      const plain = parseNamedList(item);
      const slow = parseNamedList(item === 'we|b' ? '(?:)we|b' : `(?:)${item}`);
      expect(names.filter(plain.matches)).toEqual(names.filter(slow.matches));
    }
  });
});

describe('a hostile list', () => {
  it.each([
    ['(a+)+', true],
    ['(a|a)*b', false],
    ['(.*)*x', false],
    ['([a-z]+)*-([a-z]+)*-([a-z]+)*$', false],
    ['(a?){200}a{100}', true],
  ])('answers %s for the longest name there is', (item, expected) => {
    expect(parseNamedList(item).matches('a'.repeat(253))).toBe(expected);
  });

  it.each(['x{1000}'.repeat(20), '(x{31}){31}'.repeat(30), `(${'ab'.repeat(400)}){500}`, 'a?'.repeat(5000)])(
    'refuses an expression that would grow beyond the limit: %#',
    (item) => {
      expect(expressionSize(item)).toBeGreaterThan(LARGEST_PROGRAM);
      const list = parseNamedList(`${item},db`);
      expect(list.problems).toHaveLength(1);
      expect(list.problems[0]?.message).toContain('too large');
      expect(list.matches('db')).toBe(true);
    },
  );

  it('refuses a text that is long although it compiles to little', () => {
    const item = `[${'a'.repeat(3000)}]`;
    expect(expressionSize(item)).toBe(1);
    expect(parseNamedList(item).problems[0]?.message).toContain('too large');
  });

  it('counts the expressions of a list together', () => {
    const list = parseNamedList(Array.from({ length: 30 }, (_, index) => `v${index}-x{100}`).join(','));
    expect(list.problems.length).toBeGreaterThan(0);
    expect(list.matches(`v3-${'x'.repeat(100)}`)).toBe(true);
    expect(list.matches(`v29-${'x'.repeat(100)}`)).toBe(false);
  });

  it('complains a bounded number of times, and quotes a bounded part', () => {
    const list = parseNamedList(
      Array.from({ length: 5000 }, (_, index) => `(${'y'.repeat(90)}${index}`).join(),
    );
    expect(list.problems.length).toBeLessThanOrEqual(10);
    expect(list.problems.every(({ item }) => item.length < 100)).toBe(true);
  });

  it('keeps plain names without any limit: 100 KB of them are 100 KB of names', () => {
    const names = Array.from({ length: 12_000 }, (_, index) => `name-${index}`);
    const list = parseNamedList(names.join(','));
    expect(list.names).toHaveLength(12_000);
    expect(list.problems).toEqual([]);
    expect(names.every(list.matches)).toBe(true);
  });

  it('takes odd names as they are', () => {
    const list = parseNamedList('__proto__,constructor,größe,日本');
    expect(list.names).toEqual(['constructor']);
    expect(['__proto__', 'constructor', 'größe', '日本'].every(list.matches)).toBe(true);
    expect(list.matches('toString')).toBe(false);
  });
});

describe('the size of an expression', () => {
  it.each([
    ['abc', 3],
    ['[a-z]{8}', 8],
    ['[]x]{3}', 3],
    ['[[:alpha:]]{4}', 4],
    ['\\d{5}', 5],
    ['(ab){10}', 40],
    ['a{30}b', 31],
    ['((a{10}){10}){10}', 1220],
    ['a{x}', 4],
    ['a{0}', 1],
  ])('%s is about %i steps', (item, size) => {
    expect(expressionSize(item)).toBe(size);
  });

  it('is at least half of what is compiled, so that the limit holds', async () => {
    const { RE2JS } = await import('re2js');
    const samples = ['(ab){10}c', '[a-f0-9]{8}-[a-f0-9]{4}', '(x|y|z){20}', '(a?b*c+){30}', '\\w{50}.*'];
    for (const item of samples)
      expect(expressionSize(item) * 2 + 10).toBeGreaterThanOrEqual(RE2JS.compile(item).programSize());
  });

  it('asks a text with many unclosed classes once', () => {
    expect(expressionSize('[[:'.repeat(30_000))).toBe(1);
  });
});

describe('the cache of lists', () => {
  const counting = (limits: Parameters<typeof createNamedListCache>[0]) => {
    const parsed: string[] = [];
    const cache = createNamedListCache(limits, (text) => {
      parsed.push(text);
      return parseNamedList(text);
    });
    return { cache, parsed };
  };

  it('parses a text once', () => {
    const { cache, parsed } = counting({ lists: 2, characters: 100 });
    expect(cache('a')).toBe(cache('a'));
    expect(parsed).toEqual(['a']);
  });

  it('forgets the list that was not asked for the longest', () => {
    const { cache, parsed } = counting({ lists: 2, characters: 100 });
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) cache(text);
    expect(parsed).toEqual(['a', 'b', 'c', 'b']);
  });

  it('holds no more characters than its limit, and no text beyond it', () => {
    const { cache, parsed } = counting({ lists: 100, characters: 10 });
    for (const text of ['aaaaaa', 'bbbbbb', 'aaaaaa', 'c'.repeat(11), 'aaaaaa']) cache(text);
    expect(parsed).toEqual(['aaaaaa', 'bbbbbb', 'aaaaaa', 'c'.repeat(11)]);
  });

  it('is shared by all decisions', () => {
    expect(namedList('shared,list')).toBe(namedList('shared,list'));
  });
});
