import { describe, expect, test } from 'vitest';
import { TooManyRequestsError } from '../client/errors.ts';
import { ConfigurationError, TerminalError } from '../model/errors.ts';
import type { Result } from '../model/result.ts';
import { SupersededError } from './errors.ts';
import { outcomeOf, outcomeOfError } from './result.ts';

const pass = { priority: -100, retriesLeft: Infinity };

describe('the next run after a result', () => {
  test.each<[string, Result | undefined, object]>([
    ['nothing', undefined, { label: 'success', add: undefined, forget: true }],
    ['an empty result', {}, { label: 'success', add: undefined, forget: true }],
    [
      'a time',
      { requeueAfterMs: 5000 },
      { label: 'requeue_after', add: { after: 5000, priority: -100 }, forget: true },
    ],
    [
      'a time and a priority',
      { requeueAfterMs: 5000, priority: 3 },
      { label: 'requeue_after', add: { after: 5000, priority: 3 }, forget: true },
    ],
    [
      'requeue',
      { requeue: true },
      { label: 'requeue', add: { rateLimited: true, priority: -100 }, forget: false },
    ],
    [
      'both: the time counts',
      { requeue: true, requeueAfterMs: 7 },
      { label: 'requeue_after', add: { after: 7, priority: -100 }, forget: true },
    ],
    ['requeue: false', { requeue: false }, { label: 'success', add: undefined, forget: true }],
    [
      'a time that is now',
      { requeueAfterMs: 0 },
      { label: 'requeue', add: { rateLimited: true, priority: -100 }, forget: false },
    ],
    [
      'a time that has passed',
      { requeueAfterMs: -30 },
      { label: 'requeue', add: { rateLimited: true, priority: -100 }, forget: false },
    ],
    ['a priority alone', { priority: 5 }, { label: 'success', add: undefined, forget: true }],
  ])('%s', (_what, result, expected) => {
    const outcome = outcomeOf(result, pass);
    expect(outcome).toMatchObject(expected);
    expect(outcome.error).toBeUndefined();
    expect(outcome.warning).toBeUndefined();
  });

  test('a time that is not a number is a failure, not a run that is forgotten', () => {
    const outcome = outcomeOf({ requeueAfterMs: Number.NaN }, pass);
    expect(outcome.label).toBe('error');
    expect(outcome.error).toBeInstanceOf(TypeError);
    expect(outcome.add).toMatchObject({ rateLimited: true });
  });

  test.each<Result>([{ requeueAfterMs: 5000 }, { requeue: true }])(
    'an error next to %j takes precedence, and its author is warned',
    (asked) => {
      const error = new Error('conflict');
      const outcome = outcomeOf({ ...asked, error }, pass);
      expect(outcome).toMatchObject({ label: 'error', error, forget: false });
      expect(outcome.add).toEqual({ rateLimited: true, notBefore: 0, priority: -100 });
      expect(outcome.warning).toContain('the error takes precedence');
    },
  );

  test('an error alone equals a thrown one', () => {
    const error = new Error('conflict');
    expect(outcomeOf({ error }, pass)).toEqual(outcomeOfError(error, pass));
  });
});

describe('the next run after an error', () => {
  test('a retry with backoff and the same priority', () => {
    expect(outcomeOfError(new Error('x'), pass)).toMatchObject({
      label: 'error',
      add: { rateLimited: true, notBefore: 0, priority: -100 },
      forget: false,
      terminal: false,
      gaveUp: false,
    });
  });

  test('not before the Retry-After', () => {
    const error = new TooManyRequestsError({ code: 429 }, { retryAfterMs: 5000 });
    expect(outcomeOfError(error, pass).add).toMatchObject({ rateLimited: true, notBefore: 5000 });
  });

  test('a configuration error is requeued slowly', () => {
    const error = new Error('step failed', { cause: new ConfigurationError('create the Secret') });
    expect(outcomeOfError(error, pass).add).toMatchObject({ rateLimited: true, notBefore: 300_000 });
  });

  test('none if it is terminal', () => {
    expect(outcomeOfError(new TerminalError('never'), pass)).toMatchObject({
      add: undefined,
      forget: true,
      terminal: true,
      gaveUp: false,
    });
  });

  test.each([
    ['a step that failed with one', new Error('step failed', { cause: new TerminalError('never') }), true],
    ['nothing but such', new AggregateError([new TerminalError('a'), new TerminalError('b')]), true],
    ['one that may pass', new AggregateError([new TerminalError('a'), new Error('b')]), false],
    ['a person can help', new ConfigurationError('x', { cause: new TerminalError('never') }), false],
  ])('terminal errors count through their wrapping: %s', (_, error, terminal) => {
    expect(outcomeOfError(error, pass)).toMatchObject({ terminal, forget: terminal });
  });

  test('none if no retries are left', () => {
    expect(outcomeOfError(new Error('x'), { ...pass, retriesLeft: 0 })).toMatchObject({
      add: undefined,
      forget: true,
      terminal: false,
      gaveUp: true,
    });
  });
});

test('a superseded run is no failure, even as the cause of another error', () => {
  const overtaken = new SupersededError('A newer event came in');
  for (const error of [overtaken, new Error('Step "Rollout" failed', { cause: overtaken })])
    expect(outcomeOfError(error, { priority: 7, retriesLeft: 0 })).toMatchObject({
      ...{ label: 'requeue', add: { priority: 7 }, forget: false, error: undefined, gaveUp: false },
    });
});
