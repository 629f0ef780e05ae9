import { describe, expect, it } from 'vitest';
import {
  apiErrorFrom,
  ConfigError,
  ConnectionError,
  DecodeError,
  RequestTimeoutError,
} from '../client/errors.ts';
import { failureFrom } from './failure.ts';
import { expired, throttled, tooLarge } from './fake-server.test.support.ts';

const answer = (code: number, reason = ''): Error => apiErrorFrom({ code, reason });

describe('Classes of failures', () => {
  it.each([
    [expired(), 'expired'],
    [answer(410, 'Gone'), 'expired'],
    [tooLarge(), 'too-large'],
    [answer(504, 'Timeout'), 'server'],
    [answer(429), 'throttled'],
    [answer(401), 'unauthorized'],
    [answer(403), 'forbidden'],
    [answer(404), 'missing'],
    [answer(400), 'unsupported'],
    [answer(405), 'unsupported'],
    [answer(406), 'unsupported'],
    [answer(415), 'unsupported'],
    [answer(501), 'unsupported'],
    [answer(422), 'unsupported'],
    [answer(500), 'server'],
    [answer(503), 'server'],
    [answer(418), 'server'],
    [new DecodeError('x'), 'decode'],
    [new ConnectionError('x'), 'connection'],
    [new RequestTimeoutError('x'), 'connection'],
    [new ConfigError('x'), 'local'],
    [new TypeError('x'), 'local'],
  ] as const)('%s is %s', (error, kind) => {
    expect(failureFrom(error)).toMatchObject({ kind, error });
  });

  it('carries the wait that the server asks for', () => {
    expect(failureFrom(throttled(5)).retryAfterMs).toBe(5000);
    expect(failureFrom(answer(500))).not.toHaveProperty('retryAfterMs');
  });

  it('turns any thrown value into an error', () => {
    expect(failureFrom('text').error.message).toContain('text');
  });
});
