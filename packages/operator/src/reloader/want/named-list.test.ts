import { describe, expect, it } from 'vitest';
import { compileCost, expressionSize } from '../../expressions/pattern-cost.ts';
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
    // The empty group in front disables the shortcut and does not change the meaning.
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
    ['(a?){40}a{20}', false],
    ['(a?){40}a{20}a*', true],
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
    const list = parseNamedList(Array.from({ length: 30 }, (_, index) => `v${index}-x{50}`).join(','));
    expect(list.problems.length).toBeGreaterThan(0);
    expect(list.matches(`v3-${'x'.repeat(50)}`)).toBe(true);
    expect(list.matches(`v29-${'x'.repeat(50)}`)).toBe(false);
  });

  it('counts the cost of expressions that do not compile, too', () => {
    // Reported: 120 of these in each of eight lists kept a starting operator busy for 108 seconds.
    const bad = `(?i)${'\\pL'.repeat(490)}(`;
    const list = parseNamedList(Array.from({ length: 120 }, (_, index) => `${bad}${index}`).join(','));
    expect(list.costOf([])).toBe(0);
    expect(list.problems[0]?.message).toContain('too large');
    const small = parseNamedList(Array.from({ length: 120 }, (_, index) => `\\pL(${index}`).join(','));
    expect(small.costOf([])).toBeLessThanOrEqual(LARGEST_PROGRAM * 100);
    expect(small.problems.map(({ message }) => message.slice(0, 24))).toContain('the expressions of this ');
  });

  it('takes a hundred expressions, two hundred names with wildcards, and no more', () => {
    const many = (count: number, item: (index: number) => string): string =>
      Array.from({ length: count }, (_, index) => item(index)).join(',');
    const tiny = (index: number): string => `${String.fromCodePoint(0x4e00 + index)}?`;
    expect(parseNamedList(many(100, tiny)).problems).toEqual([]);
    expect(parseNamedList(many(101, tiny)).problems).toHaveLength(1);
    expect(parseNamedList(many(200, (index) => `web-${index}-.*`)).problems).toEqual([]);
    expect(parseNamedList(many(201, (index) => `web-${index}-.*`)).problems).toHaveLength(1);
  });

  it('evaluates a name on first use and caches the result', () => {
    const list = parseNamedList('db,web-.*,[x-z]+');
    expect([list.known('db'), list.known('web-1'), list.known('xyz')]).toEqual([true, true, undefined]);
    expect(list.costOf(['db', 'xyz'])).toBeGreaterThan(0);
    expect([list.matches('xyz'), list.matches('abc')]).toEqual([true, false]);
    expect([list.known('xyz'), list.known('abc'), list.costOf(['xyz', 'abc'])]).toEqual([true, false, 0]);
  });

  it('gives the same results when it learns in pieces', () => {
    const names = Array.from({ length: 100 }, (_, index) => `${'ab'.repeat(60)}${index}`);
    const [whole, pieces] = ['(a|b)*a(a|b){41}[0-9]*', '(a|b)*a(a|b){41}[0-9]*'].map(parseNamedList);
    const matched = names.filter((name) => whole?.matches(name));
    let turns = 0;
    for (const _ of pieces?.learn(names) ?? []) turns += 1;
    expect(turns).toBeGreaterThan(10);
    expect(pieces?.costOf(names)).toBe(0);
    expect(names.filter((name) => pieces?.known(name))).toEqual(matched);
    expect(matched.length).toBeGreaterThan(0);
  });

  it('reports a bounded number of problems, each with a bounded quote', () => {
    const list = parseNamedList(
      Array.from({ length: 5000 }, (_, index) => `(${'y'.repeat(90)}${index}`).join(),
    );
    expect(list.problems.length).toBeLessThanOrEqual(10);
    expect(list.problems.every(({ item }) => item.length < 100)).toBe(true);
  });

  it('keeps a thousand plain names and reports if there are more', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `name-${index}`);
    const list = parseNamedList(names.join(','));
    expect(list.problems).toEqual([]);
    expect(names.every(list.matches)).toBe(true);
    const longer = parseNamedList([...names, 'one-more', 'web-.*', 'Not-A-Name'].join(','));
    expect(longer.names).toEqual(names);
    expect(longer.problems.map(({ item }) => item)).toEqual(['one-more', 'Not-A-Name']);
    // Items that are not plain names have limits of their own.
    expect(longer.matches('web-1')).toBe(true);
    expect(longer.matches('one-more')).toBe(false);
  });

  it('looks at five thousand items at most', () => {
    const list = parseNamedList(`${'a,'.repeat(5_000)}b`);
    expect(list.names).toEqual(['a']);
    expect(list.problems).toEqual([{ item: 'b', message: 'there are more than 5000 items in this list' }]);
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

describe('what compiling costs', () => {
  it('is more for classes of Unicode, and twice as much where case does not matter', () => {
    expect(compileCost('\\pL')).toBeGreaterThan(40);
    expect(compileCost('(?i)\\pL')).toBeGreaterThan(2 * 40);
    expect(compileCost('abc')).toBeLessThan(5);
    expect(compileCost('[abc]')).toBeGreaterThan(compileCost('abc'));
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
    const { cache, parsed } = counting({ lists: 2, items: 100 });
    expect(cache('a')).toBe(cache('a'));
    expect(parsed).toEqual(['a']);
  });

  it('evicts the least recently used list', () => {
    const { cache, parsed } = counting({ lists: 2, items: 100 });
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) cache(text);
    expect(parsed).toEqual(['a', 'b', 'c', 'b']);
  });

  it('holds no more items than its limit, and no list beyond it', () => {
    const { cache, parsed } = counting({ lists: 100, items: 10 });
    const texts = ['a,b,c', 'd,e,f', 'a,b,c', 'g,h,i,j,k,l', 'a,b,c'];
    for (const text of texts) cache(text);
    expect(parsed).toEqual(['a,b,c', 'd,e,f', 'a,b,c', 'g,h,i,j,k,l']);
  });

  it('caches a long list without usable items, because parsing it again costs as much', () => {
    const { cache, parsed } = counting({ lists: 10, items: 10 });
    const text = Array.from({ length: 120 }, (_, index) => `(?i)${'x'.repeat(1_500)}(${index}`).join();
    expect(cache(text)).toBe(cache(text));
    expect(parsed).toHaveLength(1);
  });

  it('is shared by all decisions', () => {
    expect(namedList('shared,list')).toBe(namedList('shared,list'));
  });
});
