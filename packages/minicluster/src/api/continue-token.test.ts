import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeContinue, encodeContinue } from './continue-token.ts';

const token = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a token leads back to where it was made', () => {
  const place = fc.record({ revision: fc.integer({ min: 1 }), start: fc.string({ minLength: 1 }) });
  fc.assert(
    fc.property(place, (continuation) => {
      expect(decodeContinue(encodeContinue(continuation))).toEqual(continuation);
    }),
  );
});

test('the token of a list that gave up consistency names no revision', () => {
  expect(decodeContinue(encodeContinue({ revision: -1, start: 'a' }))).toEqual({ revision: -1, start: 'a' });
});

/** The expected messages are those of kube-apiserver 1.36. */
test.each([
  ['xyz', "continue key is not valid: invalid character 'Ç' looking for beginning of value"],
  ['eyJ2Ijoi', 'continue key is not valid: unexpected end of JSON input'],
  ['!!!', 'continue key is not valid: illegal base64 data at input byte 0'],
  ['e30', 'continue key is not valid: server does not recognize this encoded version '],
  [token({ v: 'v0' }), 'continue key is not valid: server does not recognize this encoded version v0'],
  [
    token({ v: 'meta.k8s.io/v1' }),
    'continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
  ],
  [
    token({ v: 'meta.k8s.io/v1', rv: 5 }),
    'continue key is not valid: encoded start key empty (version meta.k8s.io/v1)',
  ],
  [token(null), 'continue key is not valid: server does not recognize this encoded version '],
])('%s is no token', (text, why) => {
  expect(() => decodeContinue(text)).toThrow(`invalid continue token: ${why}`);
});
