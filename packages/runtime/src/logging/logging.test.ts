import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createLogger, type LoggerOptions, silentLogger } from './create-logger.ts';
import { isLogLevel } from './entry-logger.ts';
import type { Logger, LogLevel } from './logger.ts';
import { Redaction } from './redaction.ts';

function capture(options: Omit<LoggerOptions, 'destination' | 'clock'> = {}) {
  const written: string[] = [];
  const destination = { write: (text: string) => written.push(text) };
  const clock = new VirtualClock({ start: Date.UTC(2030, 0, 2, 3, 4, 5, 6) });
  const logger = createLogger({ ...options, destination, clock });
  return { logger, written, json: () => written.map((line) => JSON.parse(line)) };
}

describe('lines', () => {
  test('are JSON with time, level, message and values', () => {
    const { logger, written } = capture();
    logger.info('Reloaded', { workload: 'a/b', count: 2 });
    expect(written).toEqual([
      '{"time":"2030-01-02T03:04:05.006Z","level":"info","msg":"Reloaded","workload":"a/b","count":2}\n',
    ]);
  });

  test('are readable in text form', () => {
    const { logger, written } = capture({ format: 'text' });
    logger.warn('Cannot "patch" it', { workload: 'a/b', why: 'two words', list: [1, 'x'] });
    expect(written).toEqual([
      '2030-01-02T03:04:05.006Z WARN  Cannot "patch" it workload=a/b why="two words" list=[1,"x"]\n',
    ]);
  });

  test.each([
    ['json' as const, '"msg":"a\\nb","v":"c\\rd\\u2028e\\u0085f\\u001b[31m"'],
    ['text' as const, 'a\\nb v="c\\rd\\u2028e\\u0085f\\u001b[31m"'],
  ])('in %s never break, and carry no control character', (format, expected) => {
    const { logger, written } = capture({ format });
    logger.info('a\nb', { v: 'c\rd\u2028e\u0085f\u001b[31m' });
    expect(written[0]).toContain(expected);
  });

  test('stay one line and parse back, for any text under any name', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        fc.string(),
        (message, value, name) => {
          const { logger, written } = capture();
          logger.info(message, { [name]: value });
          expect(written).toHaveLength(1);
          expect(written[0]?.indexOf('\n')).toBe((written[0]?.length ?? 0) - 1);
          expect(JSON.parse(written[0] ?? '').msg).toBe(message);
        },
      ),
    );
  });

  test('keep their own fields when a value has the same name', () => {
    const { logger, json } = capture();
    logger.info('real', { msg: 'forged', level: 'error', time: 'never' });
    expect(json()[0]).toMatchObject({
      msg: 'real',
      level: 'info',
      msg_: 'forged',
      level_: 'error',
      time_: 'never',
    });
  });
});

describe('levels', () => {
  const all: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error'];

  test.each(all)('%s writes itself and what is above', (level) => {
    const { logger, json } = capture({ level });
    for (const each of all) logger[each](each);
    const expected = all.slice(all.indexOf(level));
    expect(json().map((line) => line.level)).toEqual(expected);
    expect(all.filter((each) => logger.enabled(each))).toEqual(expected);
  });

  test('info is where it starts unless told otherwise', () => {
    const { logger } = capture();
    expect(logger.enabled('info')).toBe(true);
    expect(logger.enabled('debug')).toBe(false);
  });

  test('an unknown level is refused with the known ones', () => {
    expect(() => createLogger({ level: 'loud' as LogLevel })).toThrow(/"loud" is unknown.*trace, debug/);
    expect(isLogLevel('loud')).toBe(false);
    expect(isLogLevel('warn')).toBe(true);
  });

  test('the silent logger has none', () => {
    expect(silentLogger.enabled('error')).toBe(false);
  });
});

describe('bound values', () => {
  test('are on every line of the child and of its children; the nearest wins', () => {
    const { logger, json } = capture();
    const child: Logger = logger.with({ controller: 'c', a: 1 }).with({ a: 2, id: 'x' });
    child.info('one', { id: 'y' });
    logger.info('two');
    expect(json()[0]).toMatchObject({ controller: 'c', a: 2, id: 'y' });
    expect(json()[1]).toEqual({ time: expect.any(String), level: 'info', msg: 'two' });
  });
});

describe('errors', () => {
  test('keep name, message, code and the chain of causes', () => {
    const { logger, json } = capture();
    const root = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    logger.error('failed', { error: new Error('cannot list', { cause: root }) });
    expect(json()[0].error).toEqual({
      name: 'Error',
      message: 'cannot list',
      cause: { name: 'Error', message: 'refused', code: 'ECONNREFUSED' },
    });
  });

  test('in text form read as one sentence', () => {
    const { logger, written } = capture({ format: 'text' });
    const error = new AggregateError([new Error('one'), 'two'], 'both failed', { cause: new Error('net') });
    logger.error('failed', { error });
    expect(written[0]).toContain(
      'error="AggregateError: both failed [Error: one; two]; caused by Error: net"\n',
    );
  });

  test('show a stack when they point at a bug, or when debugging', () => {
    const { logger, json } = capture();
    logger.error('bug', { error: new TypeError('x is not a function') });
    logger.error('answer', { error: new Error('conflict') });
    expect(json()[0].error.stack).toContain('logging.test');
    expect(json()[1].error.stack).toBeUndefined();
    const debugging = capture({ level: 'debug' });
    debugging.logger.error('answer', { error: new Error('conflict') });
    expect(debugging.json()[0].error.stack).toContain('logging.test');
  });
});

describe('redaction', () => {
  test.each(['password', 'dbPassword', 'Authorization', 'id_token', 'api-key', 'stringData', 'private.key'])(
    'hides what stands under %s, at any depth',
    (name) => {
      const { logger, written } = capture();
      logger.info('x', { [name]: 'hunter2', deep: [{ [name]: { inner: 'hunter2' } }] });
      expect(written[0]).not.toContain('hunter2');
      expect(written[0]).toContain('[redacted]');
    },
  );

  test('leaves names that only mention a secret, such as a reference to one', () => {
    const { logger, json } = capture();
    logger.info('Secret data changed', { secret: 'default/db', secretName: 'db', tokenCount: 3 });
    expect(json()[0]).toMatchObject({ secret: 'default/db', secretName: 'db', tokenCount: 3 });
  });

  test('hides names given as an option', () => {
    const { logger, written } = capture({ redaction: new Redaction({ names: ['Webhook-URL'] }) });
    logger.info('x', { webhookUrl: 'https://hooks.example/T0/B0' });
    expect(written[0]).not.toContain('hooks.example');
  });

  test('never shows the payload of a Secret, nor bytes', () => {
    const { logger, written } = capture();
    const secret = {
      kind: 'Secret',
      metadata: { name: 's' },
      data: { k: 'aHVudGVyMg==' },
      stringData: { k: 'hunter2' },
    };
    logger.info('x', { secret, bytes: Buffer.from('hunter2') });
    expect(written[0]).not.toMatch(/hunter2|aHVudGVyMg/);
    expect(written[0]).toContain('"bytes":"[7 bytes]"');
  });

  test.each(['json' as const, 'text' as const])(
    'in %s hides a registered value wherever it turns up',
    (format) => {
      const redaction = new Redaction();
      const { logger, written } = capture({ format, redaction });
      redaction.addValue('s3cr3t"v\nalue');
      const base64 = Buffer.from('s3cr3t"v\nalue').toString('base64');
      logger.info('got s3cr3t"v\nalue', {
        nested: { list: [`a ${base64} b`] },
        's3cr3t"v\nalue': 1,
        error: new Error('no s3cr3t"v\nalue', { cause: new Error('s3cr3t"v\nalue') }),
      });
      expect(written[0]).not.toContain('s3cr3t');
      expect(written[0]).not.toContain(base64);
      expect(written[0]?.match(/\[redacted\]/g)).toHaveLength(5);
    },
  );

  test('forgets a value when told so, and ignores those too short to be told from words', () => {
    const redaction = new Redaction();
    const forget = redaction.addValue('hunter2!');
    redaction.addValue('abc');
    expect(redaction.clean('hunter2! abc')).toBe('[redacted] abc');
    forget();
    expect(redaction.clean('hunter2! abc')).toBe('hunter2! abc');
  });
});

describe('odd values', () => {
  const circular: Record<string, unknown> = { a: 1 };
  circular.self = circular;
  const deep = Array.from({ length: 50 }).reduce<object>((inner) => ({ inner }), {});
  const hostile = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('no');
      },
    },
  );

  test.each<[string, unknown, unknown]>([
    ['a cycle', circular, { a: 1, self: '[circular]' }],
    ['a bigint', 10n, '10'],
    ['NaN', Number.NaN, 'NaN'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['a function', () => 1, '[function]'],
    ['an invalid date', new Date(Number.NaN), '[invalid date]'],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a map', new Map<unknown, unknown>([['k', 1]]), { k: 1 }],
    ['a set', new Set([1, 2]), [1, 2]],
    ['null', null, null],
    ['an object with toJSON', { toJSON: () => ({ x: 1 }) }, { x: 1 }],
    [
      'a toJSON that throws',
      {
        toJSON: () => {
          throw new Error('no');
        },
      },
      '[unreadable]',
    ],
    [
      'a getter that throws',
      {
        get x() {
          throw new Error('no');
        },
      },
      { x: '[unreadable]' },
    ],
    ['a proxy that throws', hostile, '[unreadable]'],
    [
      'a long list',
      Array.from({ length: 102 }, () => 0),
      [...Array.from({ length: 100 }, () => 0), '[2 more]'],
    ],
    ['a long text', 'x'.repeat(20_000), `${'x'.repeat(16_384)}[3616 more]`],
    [
      'a key called __proto__',
      JSON.parse('{"__proto__":{"polluted":true}}'),
      JSON.parse('{"__proto__":{"polluted":true}}'),
    ],
  ])('%s is written as something harmless', (_what, value, expected) => {
    const { logger, json } = capture();
    logger.info('x', { value });
    expect(json()[0].value).toEqual(expected);
  });

  test('nesting without end is cut', () => {
    const { logger, written } = capture();
    logger.info('x', { deep });
    expect(written[0]).toContain('[too deep]');
  });

  test('a name that is absent is left out', () => {
    const { logger, json } = capture();
    logger.info('x', { gone: undefined });
    expect(json()[0]).not.toHaveProperty('gone');
  });

  test('no value whatsoever makes a call throw', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withNullPrototype: true,
          withTypedArray: true,
        }),
        (value) => {
          const { logger, json } = capture();
          logger.info('x', { value });
          expect(json()).toHaveLength(1);
        },
      ),
    );
  });

  test('a destination that throws is survived', () => {
    const logger = createLogger({
      destination: {
        write: () => {
          throw new Error('EPIPE');
        },
      },
    });
    expect(() => logger.info('x')).not.toThrow();
  });
});
