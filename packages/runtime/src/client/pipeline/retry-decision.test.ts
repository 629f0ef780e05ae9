import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../clock/virtual-clock.ts';
import { apiErrorFrom, ConfigError, ConnectionError, DecodeError, RequestTimeoutError } from '../errors.ts';
import { retryAfter } from './outcome.ts';
import { DEFAULT_RETRY, retryDelay } from './retry-decision.ts';

const api = (code: number, more: { after?: number; cause?: string } = {}): Error =>
  apiErrorFrom({
    code,
    details: {
      ...(more.after !== undefined && { retryAfterSeconds: more.after }),
      ...(more.cause !== undefined && { causes: [{ reason: more.cause }] }),
    },
  });
const lost = new ConnectionError('lost');
const notSent = new ConnectionError('refused', { notSent: true });

/** The error, whether it is retried if idempotent, and if not. */
const table: [string, Error, boolean, boolean][] = [
  ['a lost connection', lost, true, false],
  ['a request that was not sent', notSent, true, true],
  ['429', api(429), true, true],
  ['429 with a time', api(429, { after: 1 }), true, true],
  ['429 of a disruption budget', api(429, { after: 1, cause: 'DisruptionBudget' }), false, false],
  ['503', api(503), true, false],
  ['503 with a time', api(503, { after: 1 }), true, true],
  ['500', api(500), false, false],
  ['500 with a time', api(500, { after: 1 }), true, false],
  ['504', api(504), false, false],
  ['504 with a time', api(504, { after: 1 }), true, false],
  ['504 for a version of the future', api(504, { after: 1, cause: 'ResourceVersionTooLarge' }), false, false],
  ['a time that is too long', api(429, { after: 31 }), false, false],
  ['409', api(409), false, false],
  ['404', api(404), false, false],
  ['401', api(401), false, false],
  ['422', api(422), false, false],
  ['410', api(410), false, false],
  ['our own timeout', new RequestTimeoutError('slow'), false, false],
  ['an answer that cannot be read', new DecodeError('bad'), false, false],
  ['a broken configuration', new ConfigError('bad'), false, false],
  ['a defect', new TypeError('bug'), false, false],
];

describe('whether a request is sent again', () => {
  it.each(table)('after %s', (_, error, idempotent, other) => {
    const decide = (yes: boolean): boolean =>
      retryDelay(error, { idempotent: yes }, 1, DEFAULT_RETRY, () => 0) !== undefined;
    expect([decide(true), decide(false)]).toEqual([idempotent, other]);
  });

  it('never after the last attempt', () => {
    const delay = (attempt: number): number | undefined =>
      retryDelay(notSent, { idempotent: true }, attempt, DEFAULT_RETRY, () => 0);
    expect(delay(DEFAULT_RETRY.maxAttempts - 1)).toBeDefined();
    expect(delay(DEFAULT_RETRY.maxAttempts)).toBeUndefined();
  });
});

describe('how long it waits', () => {
  const random = fc.double({ min: 0, max: 0.999999, noNaN: true });

  it('is at least the Retry-After, and at most a fifth more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), random, (after, value) => {
        const delay =
          retryDelay(api(429, { after }), { idempotent: false }, 1, DEFAULT_RETRY, () => value) ?? 0;
        expect(delay).toBeGreaterThanOrEqual(after * 1000);
        expect(delay).toBeLessThanOrEqual(after * 1200);
      }),
    );
  });

  it('doubles without an answer, between half and all of it, up to the limit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), random, (attempt, value) => {
        const policy = { ...DEFAULT_RETRY, maxAttempts: 100 };
        const delay = retryDelay(lost, { idempotent: true }, attempt, policy, () => value) ?? 0;
        const longest = Math.min(policy.baseMs * 2 ** (attempt - 1), policy.maxMs);
        expect(delay).toBeGreaterThanOrEqual(longest / 2);
        expect(delay).toBeLessThan(longest);
      }),
    );
  });
});

describe('Retry-After', () => {
  const clock = new VirtualClock({ start: Date.UTC(2030, 0, 1) });
  it.each([
    ['7', 7_000],
    ['0', 0],
    ['Tue, 01 Jan 2030 00:00:09 GMT', 9_000],
    ['Mon, 31 Dec 2029 00:00:00 GMT', 0],
    ['', undefined],
    ['soon', undefined],
    [undefined, undefined],
  ])('%s means %s ms', (header, expected) => {
    expect(retryAfter(header, clock)).toBe(expected);
  });
});
