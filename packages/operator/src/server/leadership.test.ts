import { type Elector, LeaseLostError } from '@reloader/runtime';
import { expect, test } from 'vitest';
import { watchLeadership } from './leadership.ts';

function electorThat(end: () => Promise<void>): Elector {
  return {
    name: 'lease a/b',
    isLeader: true,
    run: end,
    release: () => Promise.resolve(),
    check: () => {
      throw new Error('late');
    },
  };
}
const callbacks = { onStartedLeading: () => undefined };
const { signal } = new AbortController();

test('an election that ends in order is no loss', async () => {
  const { elector, check } = watchLeadership(electorThat(() => Promise.resolve()));
  await elector.run(signal, callbacks);
  expect(check).not.toThrow();
});

test('a lost lease is remembered, and passed on', async () => {
  const { elector, check } = watchLeadership(electorThat(() => Promise.reject(new LeaseLostError('taken'))));
  expect(check).not.toThrow();
  await expect(elector.run(signal, callbacks)).rejects.toThrow(LeaseLostError);
  expect(check).toThrow('taken');
});

test('another failure is passed on and is no loss', async () => {
  const { elector, check } = watchLeadership(electorThat(() => Promise.reject(new Error('other'))));
  await expect(elector.run(signal, callbacks)).rejects.toThrow('other');
  expect(check).not.toThrow();
});

test('everything else is delegated to the elector', () => {
  const { elector } = watchLeadership(electorThat(() => Promise.resolve()));
  expect(elector.name).toBe('lease a/b');
  expect(elector.isLeader).toBe(true);
  expect(() => elector.check()).toThrow('late');
});
