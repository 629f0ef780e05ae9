import { VirtualClock } from '@reloader/runtime/testing';
import { describe, expect, test } from 'vitest';
import { GivenUpError, Questions } from './questions.ts';

const never = new AbortController().signal;
const slow = () => new Promise<string>(() => undefined);

function ask(questions: Questions, reader: string, work: () => Promise<string> = slow) {
  const seen: { error?: unknown; answer?: string } = {};
  questions.answer(reader, never, work).then(
    (answer) => {
      seen.answer = answer;
    },
    (error: unknown) => {
      seen.error = error;
    },
  );
  return seen;
}

describe('slow questions', () => {
  test('lock no reader out: a new one is answered, the oldest of the busiest reader is aborted', async () => {
    const clock = new VirtualClock();
    const questions = new Questions({ clock, most: 8 });
    const other = ask(questions, 'other');
    const crowd = Array.from({ length: 7 }, () => ask(questions, 'attacker'));
    expect(await questions.answer('newcomer', never, async () => 'answered')).toBe('answered');
    await clock.settle();
    expect(crowd.filter(({ error }) => error !== undefined)).toEqual([crowd[0]]);
    expect(crowd[0]?.error).toMatchObject({ status: 503 });
    expect(other.error).toBeUndefined();
  });

  test('are aborted after ten seconds, and so is their work', async () => {
    const clock = new VirtualClock();
    const questions = new Questions({ clock });
    let signal: AbortSignal | undefined;
    const asked = questions.answer('a', never, (given) => {
      signal = given;
      return slow();
    });
    const failed = expect(asked).rejects.toThrow(GivenUpError);
    await clock.advance(9_999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    await failed;
    expect(signal?.aborted).toBe(true);
  });

  test('end when their caller disconnects', async () => {
    const questions = new Questions({ clock: new VirtualClock() });
    const leaving = new AbortController();
    const asked = questions.answer(
      'a',
      leaving.signal,
      (signal) =>
        new Promise<string>((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('gone')));
        }),
    );
    leaving.abort();
    await expect(asked).rejects.toThrow('gone');
  });

  test('quick ones are answered as they are, and errors pass', async () => {
    const questions = new Questions({ clock: new VirtualClock(), most: 1 });
    expect(await questions.answer('a', never, async () => 'one')).toBe('one');
    expect(await questions.answer('a', never, async () => 'two')).toBe('two');
    await expect(questions.answer('a', never, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  });
});
