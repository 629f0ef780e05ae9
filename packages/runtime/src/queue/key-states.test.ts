import { expect, test } from 'vitest';
import { KeyStates } from './key-states.ts';

const namespaceOf = (): string => 'ns';

test('a key keeps its state from use to use', () => {
  const states = new KeyStates();
  const state = states.use('a', namespaceOf);
  states.retire(state);
  expect([...states.active()]).toEqual([]);
  expect(states.use('a', namespaceOf)).toBe(state);
  expect([...states.active()]).toEqual([state]);
});

test('a key that comes and goes all the time is not swept as if it were many', () => {
  const states = new KeyStates();
  const state = states.use('a', namespaceOf);
  for (let index = 0; index < 1000; index++) {
    states.retire(state);
    expect(states.use('a', namespaceOf)).toBe(state);
  }
});

test('idle keys do not pile up', () => {
  const states = new KeyStates();
  for (let index = 0; index < 10_000; index++) states.retire(states.use(`key-${index}`, namespaceOf));
  expect(states.size).toBeLessThanOrEqual(512);
});

test('sweeping takes idle keys only', () => {
  const states = new KeyStates();
  const busy = Array.from({ length: 300 }, (_, index) => states.use(`busy-${index}`, namespaceOf));
  for (let index = 0; index < 1000; index++) states.retire(states.use(`idle-${index}`, namespaceOf));
  expect([...states.active()]).toEqual(busy);
  for (const state of busy) expect(states.get(state.key)).toBe(state);
});

test('retiring twice counts once', () => {
  const states = new KeyStates();
  const state = states.use('a', namespaceOf);
  for (let index = 0; index < 1000; index++) states.retire(state);
  expect(states.size).toBe(1);
});
