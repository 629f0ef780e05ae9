import { FakeInformer } from '@reloader/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ConfigMaps } from '../model/kinds.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import { sourceFacts } from '../want/world.test.support.ts';
import { ChangeTimes } from './change-times.ts';

const facts = (digest: string, writtenAt: number): SourceFacts => ({ ...sourceFacts({}), digest, writtenAt });

function setUp() {
  let now = 100_000;
  const times = new ChangeTimes({ now: () => now });
  const informer = new FakeInformer<SourceFacts>(ConfigMaps);
  times.follow(informer);
  informer.sync();
  const see = (old: SourceFacts, object: SourceFacts) => {
    informer.set(old);
    informer.set(object);
    return times.applyTo(object).writtenAt;
  };
  const at = (seconds: number): void => {
    now = seconds * 1000;
  };
  return { times, informer, see, at };
}

describe('The time of a change', () => {
  it('is that of managedFields where they moved with it', () => {
    expect(setUp().see(facts('a', 10), facts('b', 90))).toBe(90);
  });

  it('is that of the event if managedFields did not change, as after removing a key', () => {
    const { see, times } = setUp();
    expect(see(facts('a', 10), facts('b', 10))).toBe(100);
    expect(times.applyTo(facts('b', 10)).storedAt).toBe(10);
  });

  it('does not move with later edits of something else', () => {
    const { see, at } = setUp();
    see(facts('a', 10), facts('b', 10));
    at(200);
    expect(see(facts('b', 10), facts('b', 10))).toBe(100);
  });

  it('is dropped with the next write that has its own time, and with the source', () => {
    const { see, at, times, informer } = setUp();
    see(facts('a', 10), facts('b', 10));
    at(200);
    expect(see(facts('b', 10), facts('c', 150))).toBe(150);
    see(facts('c', 150), facts('d', 150));
    informer.remove(facts('d', 150).metadata);
    expect(times.applyTo(facts('d', 150)).writtenAt).toBe(150);
  });

  it('belongs to one content only', () => {
    const { see, times } = setUp();
    see(facts('a', 10), facts('b', 10));
    expect(times.applyTo(facts('other', 10)).writtenAt).toBe(10);
  });
});
