import { describe, expect, test } from 'vitest';
import { SharedTurns } from './shared-turns.ts';

/** An event loop that turns on demand, and a clock that only work advances. */
function stage() {
  let now = 0;
  const due: (() => void)[] = [];
  const turns = new SharedTurns({ now: () => now, later: (run) => due.push(run) });
  const done: string[] = [];
  return {
    turns,
    done,
    worker: (name: string, steps: number) => ({
      step() {
        now += 1;
        done.push(name);
        steps -= 1;
        return steps > 0;
      },
    }),
    /** The steps done in it. */
    turn(): string[] {
      for (const run of due.splice(0)) run();
      return done.splice(0);
    },
    get isDue() {
      return due.length > 0;
    },
  };
}

describe('SharedTurns', () => {
  test('hundreds of tasks together get four milliseconds per turn', () => {
    const { turns, worker, turn } = stage();
    for (let index = 0; index < 400; index += 1) turns.add(worker(`${index}`, 60));
    for (let count = 0; count < 100; count += 1) expect(turn()).toHaveLength(4);
  });

  test('every task has a step before any has a second one', () => {
    const { turns, worker, turn } = stage();
    for (const name of ['a', 'b', 'c']) turns.add(worker(name, 2));
    expect([...turn(), ...turn()]).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  test('a task that is added twice has one step at a time', () => {
    const { turns, worker, turn } = stage();
    const one = worker('a', 1);
    turns.add(one);
    turns.add(one);
    expect(turn()).toEqual(['a']);
  });

  test('rests while there is nothing to do, and begins again', () => {
    const scene = stage();
    const { turns, worker, turn } = scene;
    turns.add(worker('a', 3));
    expect(turn()).toEqual(['a', 'a', 'a']);
    expect(scene.isDue).toBe(false);
    turns.add(worker('b', 1));
    expect(turn()).toEqual(['b']);
  });
});
