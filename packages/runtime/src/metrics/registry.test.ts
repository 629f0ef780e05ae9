import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { createRegistry } from './registry.ts';

describe('counter', () => {
  test('without labels it is there at zero before the first event', () => {
    const registry = createRegistry();
    registry.counter({ name: 'reloads_total', help: 'Reloads' });
    expect(registry.render()).toBe(
      '# HELP reloads_total Reloads\n# TYPE reloads_total counter\nreloads_total 0\n',
    );
  });

  test('with labels, the sets given as initial are there at zero', () => {
    const registry = createRegistry();
    registry.counter({
      name: 'reconcile_total',
      help: 'Reconciles',
      labelNames: ['controller', 'result'],
      initial: [
        { controller: 'a', result: 'success' },
        { result: 'error', controller: 'a' },
      ],
    });
    expect(registry.render()).toContain('reconcile_total{controller="a",result="success"} 0\n');
    expect(registry.render()).toContain('reconcile_total{controller="a",result="error"} 0\n');
  });

  test('counts by one, or by the given number, per label set', () => {
    const registry = createRegistry();
    const counter = registry.counter({ name: 'bytes_total', help: 'Bytes', labelNames: ['way'] });
    counter.inc({ way: 'in' });
    counter.inc({ way: 'in' }, 41);
    counter.inc({ way: 'out' }, 0.5);
    expect(registry.render()).toContain('bytes_total{way="in"} 42\nbytes_total{way="out"} 0.5\n');
  });

  test.each([-1, Number.NaN])('refuses to be increased by %s', (by) => {
    const counter = createRegistry().counter({ name: 'a_total', help: 'A' });
    expect(() => counter.inc({}, by)).toThrow(RangeError);
  });
});

describe('gauge', () => {
  test('is set, moved and taken away', () => {
    const registry = createRegistry();
    const gauge = registry.gauge({ name: 'depth', help: 'Depth', labelNames: ['name'] });
    gauge.set(5, { name: 'a' });
    gauge.add(-7, { name: 'a' });
    gauge.set(1, { name: 'gone' });
    gauge.remove({ name: 'gone' });
    expect(registry.render()).toBe('# HELP depth Depth\n# TYPE depth gauge\ndepth{name="a"} -2\n');
  });

  test.each([
    [Number.NaN, 'NaN'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
    [1e21, '1e+21'],
    [0.1, '0.1'],
  ])('writes %s as %s', (value, text) => {
    const registry = createRegistry();
    registry.gauge({ name: 'g', help: 'G' }).set(value);
    expect(registry.render()).toContain(`\ng ${text}\n`);
  });
});

describe('histogram', () => {
  test('writes cumulative buckets up to +Inf, the sum and the count', () => {
    const registry = createRegistry();
    const histogram = registry.histogram({ name: 'h', help: 'H', labelNames: ['c'], buckets: [0.1, 1] });
    for (const value of [0.05, 0.1, 0.5, 3]) histogram.observe(value, { c: 'x' });
    expect(registry.render()).toBe(
      [
        '# HELP h H',
        '# TYPE h histogram',
        'h_bucket{c="x",le="0.1"} 2',
        'h_bucket{c="x",le="1"} 3',
        'h_bucket{c="x",le="+Inf"} 4',
        'h_sum{c="x"} 3.65',
        'h_count{c="x"} 4',
        '',
      ].join('\n'),
    );
  });

  test('counts every observation in all the buckets it fits, for any bounds', () => {
    const bounds = fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(bounds, fc.array(fc.integer({ min: -60, max: 60 })), (unsorted, values) => {
        const buckets = [...unsorted].sort((a, b) => a - b);
        const registry = createRegistry();
        const histogram = registry.histogram({ name: 'h', help: 'H', buckets });
        for (const value of values) histogram.observe(value);
        const text = registry.render();
        for (const bound of buckets) {
          const expected = values.filter((value) => value <= bound).length;
          expect(text).toContain(`h_bucket{le="${bound}"} ${expected}\n`);
        }
        expect(text).toContain(`h_bucket{le="+Inf"} ${values.length}\n`);
      }),
    );
  });

  test.each([[[]], [[1, 1]], [[2, 1]], [[1, Infinity]], [[Number.NaN]]])(
    'refuses the bounds %j',
    (buckets) => {
      expect(() => createRegistry().histogram({ name: 'h', help: 'H', buckets })).toThrow(/ascending/);
    },
  );

  test('refuses a label called le', () => {
    const options = { name: 'h', help: 'H', labelNames: ['le'], buckets: [1] };
    expect(() => createRegistry().histogram(options)).toThrow(/"le"/);
  });
});

describe('names and labels', () => {
  test.each(['', '1a', 'a-b', 'a b', 'ä'])('refuses the metric name %j', (name) => {
    expect(() => createRegistry().counter({ name, help: 'H' })).toThrow(TypeError);
  });

  test.each(['', '1a', 'a-b', '__a', 'a:b'])('refuses the label name %j', (label) => {
    expect(() => createRegistry().counter({ name: 'a', help: 'H', labelNames: [label] })).toThrow(TypeError);
  });

  test('refuses a label that is named twice', () => {
    const options = { name: 'a', help: 'H', labelNames: ['x', 'x'] };
    expect(() => createRegistry().counter(options)).toThrow(/twice/);
  });

  test.each([
    ['a missing label', { a: '1' }],
    ['another label', { a: '1', c: '2' }],
    ['a label too many', { a: '1', b: '2', c: '3' }],
  ])('refuses %s, also where the series exists', (_what, labels: Record<string, string>) => {
    const counter = createRegistry().counter({
      name: 'x_total',
      help: 'X',
      labelNames: ['a', 'b'],
      initial: [{ a: '1', b: '2' }],
    });
    expect(() => counter.inc(labels)).toThrow(/has the labels {a, b}, but was used with/);
  });

  test('escapes backslash, quote and line break in label values, and the first and last in the help', () => {
    const registry = createRegistry();
    registry.gauge({ name: 'g', help: 'a\\b\n"c"', labelNames: ['l'] }).set(1, { l: 'a\\b\n"c"' });
    expect(registry.render()).toBe('# HELP g a\\\\b\\n"c"\n# TYPE g gauge\ng{l="a\\\\b\\n\\"c\\""} 1\n');
  });

  test('keeps two label sets apart whatever their values hold', () => {
    const registry = createRegistry();
    const counter = registry.counter({ name: 'x_total', help: 'X', labelNames: ['a', 'b'] });
    counter.inc({ a: '1,', b: '2' });
    counter.inc({ a: '1', b: ',2' });
    counter.inc({ a: '1', b: '' });
    counter.inc({ b: '', a: '1' });
    expect(registry.render()).toContain(
      'x_total{a="1,",b="2"} 1\nx_total{a="1",b=",2"} 1\nx_total{a="1",b=""} 2\n',
    );
  });

  test('a series that was taken away begins anew, at the end', () => {
    const registry = createRegistry();
    const gauge = registry.gauge({ name: 'g', help: 'G', labelNames: ['a', 'b'] });
    gauge.set(1, { a: 'x', b: 'y' });
    gauge.set(2, { a: 'x', b: 'z' });
    gauge.remove({ a: 'x', b: 'y' });
    gauge.remove({ a: 'never', b: 'there' });
    gauge.add(5, { a: 'x', b: 'y' });
    expect(registry.render()).toBe('# HELP g G\n# TYPE g gauge\ng{a="x",b="z"} 2\ng{a="x",b="y"} 5\n');
  });
});

describe('registry', () => {
  test('gives the same metric when it is asked for again with the same shape', () => {
    const registry = createRegistry();
    const options = { name: 'a_total', help: 'A', labelNames: ['l'] };
    registry.counter(options).inc({ l: 'x' });
    registry.counter({ ...options, initial: [{ l: 'y' }] }).inc({ l: 'x' });
    expect(registry.render()).toContain('a_total{l="x"} 2\na_total{l="y"} 0\n');
  });

  test('refuses the same name with another type, other labels or other buckets', () => {
    const registry = createRegistry();
    registry.counter({ name: 'a', help: 'A' });
    registry.histogram({ name: 'h', help: 'H', buckets: [1] });
    expect(() => registry.gauge({ name: 'a', help: 'A' })).toThrow(/other type/);
    expect(() => registry.counter({ name: 'a', help: 'A', labelNames: ['l'] })).toThrow(/other labels/);
    expect(() => registry.histogram({ name: 'h', help: 'H', buckets: [2] })).toThrow(/other buckets/);
  });

  test('refreshes before each scrape until told to stop', () => {
    const registry = createRegistry();
    const gauge = registry.gauge({ name: 'g', help: 'G' });
    const stop = registry.onScrape(() => gauge.add(1));
    registry.render();
    expect(registry.render()).toContain('\ng 2\n');
    stop();
    expect(registry.render()).toContain('\ng 2\n');
  });

  test('a refresh that throws is logged and fails no scrape', () => {
    const log = createCapturingLogger();
    const registry = createRegistry({ logger: log.logger });
    const gauge = registry.gauge({ name: 'g', help: 'G' });
    registry.onScrape(() => {
      throw new Error('no such file');
    });
    registry.onScrape(() => gauge.set(7));
    expect(registry.render()).toContain('\ng 7\n');
    expect(log.messages('warn')).toHaveLength(1);
  });
});
