import { expect, test } from 'vitest';
import { SameQuestions } from './same-questions.ts';

function play() {
  const questions = new SameQuestions<string>();
  const ends: ((text: string) => void)[] = [];
  const fails: ((error: Error) => void)[] = [];
  const ask = (key: string) =>
    questions.answer(
      key,
      () =>
        new Promise<string>((resolve, reject) => {
          ends.push(resolve);
          fails.push(reject);
        }),
    );
  return { ask, ends, fails };
}

test('equal questions that come while one is answered share the next answer', async () => {
  const { ask, ends } = play();
  const answers = ['all', 'all', 'all'].map(ask);
  expect(ends).toHaveLength(1);
  ends[0]?.('first');
  expect(await answers[0]).toBe('first');
  await expect.poll(() => ends.length).toBe(2);
  // The second is being computed already: its state may be older than this question.
  const late = ask('all');
  ends[1]?.('second');
  expect(await Promise.all(answers)).toEqual(['first', 'second', 'second']);
  await expect.poll(() => ends.length).toBe(3);
  ends[2]?.('third');
  expect(await late).toBe('third');
});

test('other questions do not wait, nor does an equal one after the answer', async () => {
  const { ask, ends } = play();
  const [one, other] = [ask('a'), ask('b')];
  expect(ends).toHaveLength(2);
  ends[1]?.('b');
  expect(await other).toBe('b');
  ends[0]?.('a');
  expect(await one).toBe('a');
  void ask('a');
  expect(ends).toHaveLength(3);
});

test('a failed answer fails its own questions only', async () => {
  const { ask, ends, fails } = play();
  const [one, other] = [ask('a'), ask('a')];
  fails[0]?.(new Error('broken'));
  await expect(one).rejects.toThrow('broken');
  await expect.poll(() => ends.length).toBe(2);
  ends[1]?.('well');
  expect(await other).toBe('well');
});
