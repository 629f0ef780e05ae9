import { expect, test } from 'vitest';
import { createRegistry } from '../metrics/registry.ts';
import { createCapturingLogger } from './capturing-logger.ts';
import { metricValue } from './metric-value.ts';

test('a capturing logger keeps entries with their bound values, and forgets them on demand', () => {
  const log = createCapturingLogger('info');
  log.logger.with({ a: 1 }).warn('careful', { b: 2 });
  log.logger.debug('not kept');
  expect(log.entries).toEqual([{ level: 'warn', message: 'careful', values: { a: 1, b: 2 } }]);
  expect(log.messages('info')).toEqual([]);
  expect(log.messages()).toEqual(['careful']);
  log.clear();
  expect(log.entries).toEqual([]);
});

test('a metric is read by name and exact labels, whatever their values hold', () => {
  const registry = createRegistry();
  const gauge = registry.gauge({ name: 'g', help: 'G', labelNames: ['a', 'b'] });
  gauge.set(1, { a: 'x"y\\z\n', b: '{1,2}' });
  gauge.set(-Infinity, { a: 'other', b: '' });
  registry.gauge({ name: 'g_more', help: 'G' }).set(7);
  expect(metricValue(registry, 'g', { b: '{1,2}', a: 'x"y\\z\n' })).toBe(1);
  expect(metricValue(registry, 'g', { a: 'other', b: '' })).toBe(-Infinity);
  expect(metricValue(registry, 'g', { a: 'other' })).toBeUndefined();
  expect(metricValue(registry, 'g', { a: 'other', b: '', c: 'more' })).toBeUndefined();
  expect(metricValue(registry, 'g')).toBeUndefined();
  expect(metricValue(registry, 'g_more')).toBe(7);
});
