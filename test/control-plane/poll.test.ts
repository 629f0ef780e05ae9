import { describe, expect, test } from 'vitest';
import { poll } from './poll.ts';

describe('polling', () => {
  test('asks until the answer is true', async () => {
    let asked = 0;
    await poll(() => ++asked === 3, { what: 'three', timeout: 10_000, every: 1 });
    expect(asked).toBe(3);
  });

  test('takes an error for "not yet"', async () => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
      if (asked < 3) throw new Error('refused');
      return true;
    };
    await poll(ask, { what: 'an answer', timeout: 10_000, every: 1 });
    expect(asked).toBe(3);
  });

  test('says what it waited for and what went wrong last', async () => {
    const ask = () => Promise.reject(new Error('refused'));
    await expect(poll(ask, { what: 'an answer', timeout: 0, every: 1 })).rejects.toThrow(
      'waited 0 s in vain for an answer: refused',
    );
  });

  test('ends when aborted', async () => {
    const abort = new AbortController();
    const waiting = poll(
      () => {
        abort.abort(new Error('enough'));
        return false;
      },
      { what: 'nothing', timeout: 10_000 },
      abort.signal,
    );
    await expect(waiting).rejects.toThrow();
  });
});
