import { describe, expect, test } from 'vitest';
import {
  apiErrorFrom,
  ConfigError,
  ConnectionError,
  DecodeError,
  NotFoundError,
  RequestTimeoutError,
} from '../client/errors.ts';
import { ConfigurationError, TerminalError } from '../model/errors.ts';
import { UnknownManagementStateError } from '../objects/components.ts';
import { ConditionError } from '../objects/conditions.ts';
import { AlreadyOwnedError, NotOwnedError, OwnerScopeError } from '../objects/owners.ts';
import { SelectorError } from '../objects/selectors.ts';
import { withErrorPolicy } from './error-policy.ts';
import { classifyError, type ErrorClass, isPanic, ReconcileTimeoutError, retryAfterOf } from './errors.ts';
import { startController, widget } from './harness.test.support.ts';

const answer = (reason: string): Error => apiErrorFrom({ reason });
const circle = (): Error => {
  const error = new Error('x');
  error.cause = error;
  return error;
};
const wrap = (cause: unknown): Error => new Error('Cannot ensure the Deployment', { cause });

describe('classes of errors', () => {
  test.each<[ErrorClass, string, unknown]>([
    ['retryable', 'Conflict', answer('Conflict')],
    ['retryable', 'AlreadyExists', answer('AlreadyExists')],
    ['retryable', 'Timeout', answer('Timeout')],
    ['retryable', 'ServerTimeout', answer('ServerTimeout')],
    ['retryable', 'TooManyRequests', answer('TooManyRequests')],
    ['retryable', 'ServiceUnavailable', answer('ServiceUnavailable')],
    ['retryable', 'InternalError', answer('InternalError')],
    ['retryable', 'Gone', answer('Gone')],
    ['retryable', 'Unauthorized', answer('Unauthorized')],
    ['retryable', 'a lost connection', new ConnectionError('reset')],
    ['retryable', 'a request that took too long', new RequestTimeoutError('5 s')],
    ['retryable', 'a run that took too long', new ReconcileTimeoutError('60 s')],
    ['configuration', 'one of our own', new ConfigurationError('create the Secret')],
    ['configuration', 'an object of somebody else', new NotOwnedError('x')],
    [
      'configuration',
      'an object of another owner',
      new AlreadyOwnedError({}, { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u' }),
    ],
    ['configuration', 'an owner that cannot own it', new OwnerScopeError('x')],
    ['configuration', 'an unknown management state', new UnknownManagementStateError('x')],
    ['configuration', 'an impossible condition', new ConditionError('x')],
    ['configuration', 'an impossible selector', new SelectorError('x')],
    ['configuration', 'Invalid', answer('Invalid')],
    ['configuration', 'BadRequest', answer('BadRequest')],
    ['configuration', 'NotFound', answer('NotFound')],
    ['configuration', 'Forbidden', answer('Forbidden')],
    ['configuration', 'RequestEntityTooLarge', answer('RequestEntityTooLarge')],
    ['configuration', 'an unusable kubeconfig', new ConfigError('no such file')],
    ['terminal', 'a terminal error', new TerminalError('never')],
    ['terminal', 'MethodNotAllowed', answer('MethodNotAllowed')],
    ['terminal', 'UnsupportedMediaType', answer('UnsupportedMediaType')],
    ['unknown', 'a plain error', new Error('x')],
    ['unknown', 'something undecodable', new DecodeError('x')],
    ['unknown', 'another answer', answer('SomethingNew')],
    ['unknown', 'a thrown text', 'x'],
    ['unknown', 'undefined', undefined],
    ['configuration', 'a cause', wrap(answer('Invalid'))],
    ['retryable', 'a cause of a cause', wrap(wrap(answer('Conflict')))],
    [
      'terminal',
      'a terminal error, whatever caused it',
      new TerminalError('x', { cause: answer('Conflict') }),
    ],
    [
      'retryable',
      'several, one of them retryable',
      new AggregateError([answer('Invalid'), answer('Conflict')]),
    ],
    ['unknown', 'several, one of them unknown', new AggregateError([answer('Invalid'), new Error('x')])],
    [
      'configuration',
      'several, terminal and not',
      new AggregateError([new TerminalError('x'), answer('Invalid')]),
    ],
    ['unknown', 'several that are none', new AggregateError([])],
    ['unknown', 'a circle of causes', circle()],
  ])('%s: %s', (expected, _what, error) => {
    expect(classifyError(error)).toBe(expected);
  });
});

describe('the wait that a server asks for', () => {
  const busy = (retryAfterMs: number): Error => apiErrorFrom({ reason: 'TooManyRequests' }, { retryAfterMs });

  test.each<[string, unknown, number]>([
    ['is read from the answer', busy(5000), 5000],
    ['is read through causes', wrap(busy(5000)), 5000],
    ['is the longest of several', new AggregateError([busy(1000), wrap(busy(7000))]), 7000],
    ['is not that of a person', new AggregateError([new ConfigurationError('x'), busy(1000)]), 1000],
    ['is that of a person alone', new AggregateError([new ConfigurationError('x')]), 300_000],
    ['is none in a circle of causes', circle(), 0],
    ['is none in other errors', new Error('x'), 0],
    ['is none in other answers', answer('Conflict'), 0],
    ['is none in what is no error', 'x', 0],
  ])('%s', (_what, error, expected) => {
    expect(retryAfterOf(error)).toBe(expected);
  });
});

describe('bugs', () => {
  test.each<[boolean, unknown]>([
    [true, new TypeError('x is not a function')],
    [true, new ReferenceError('x is not defined')],
    [true, new RangeError('x')],
    [true, 'a text'],
    [true, undefined],
    [false, new Error('x')],
    [false, answer('Conflict')],
    [false, new TerminalError('x', { cause: new TypeError('y') })],
  ])('%s: %s', (expected, error) => {
    expect(isPanic(error)).toBe(expected);
  });
});

describe('the error policy', () => {
  async function runWith(error: unknown) {
    const times: number[] = [];
    const started = await startController({
      reconcile: withErrorPolicy(() => {
        times.push(started.clock.monotonic());
        if (times.length === 1) throw error;
      }),
    });
    const { widgets, clock } = started;
    widgets.set(widget('ns/a'));
    await clock.advance(600_000);
    return { ...started, times };
  }

  test('requeues configuration errors after five minutes, without counting an error', async () => {
    const { times, value, log } = await runWith(new NotFoundError({ message: 'no such ConfigMap' }));
    expect(times).toEqual([0, 300_000]);
    expect(value('reconcile_errors_total')).toBe(0);
    expect(log.messages('warn')).toEqual(['Reconcile failed until a person acts; requeued later']);
  });

  test('does not retry terminal errors', async () => {
    const { times, value } = await runWith(answer('MethodNotAllowed'));
    expect(times).toEqual([0]);
    expect(value('terminal_reconcile_errors_total')).toBe(1);
  });

  test('treats an error in the result like one that was thrown', async () => {
    const times: number[] = [];
    const { widgets, clock, value } = await startController({
      reconcile: withErrorPolicy((_, context) => {
        times.push(context.clock.monotonic());
        return times.length === 1 ? { error: answer('Invalid') } : { error: answer('MethodNotAllowed') };
      }),
    });
    widgets.set(widget('ns/a'));
    await clock.advance(900_000);
    expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 300_000]);
    expect(value('terminal_reconcile_errors_total')).toBe(1);
  });

  test.each([answer('Conflict'), new Error('x')])('retries %s with backoff', async (error) => {
    const { times, value } = await runWith(error);
    expect(times).toEqual([0, 5]);
    expect(value('reconcile_errors_total')).toBe(1);
  });

  test('passes on what the reconciler returns', async () => {
    let runs = 0;
    const { widgets, clock } = await startController({
      reconcile: withErrorPolicy(() => {
        runs++;
        return { requeueAfterMs: 1000 };
      }),
    });
    widgets.set(widget('ns/a'));
    await clock.advance(2500);
    expect(runs).toBe(3);
  });
});
