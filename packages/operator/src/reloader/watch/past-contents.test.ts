import { FakeInformer } from '@reloader/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ConfigMaps } from '../model/kinds.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import { sourceFacts } from '../want/world.test.support.ts';
import { PastContents } from './past-contents.ts';

const facts = (digest: string, writtenAt: number, name = 'a'): SourceFacts => ({
  ...sourceFacts({ name }),
  metadata: { ...sourceFacts({ name }).metadata, uid: `uid-${name}` },
  digest,
  keyDigests: `k\0${digest}`,
  writtenAt,
});

function setUp(timed = (object: SourceFacts) => object) {
  const contents = new PastContents();
  const informer = new FakeInformer<SourceFacts>(ConfigMaps);
  contents.follow(informer, timed);
  informer.sync();
  const see = (...versions: SourceFacts[]) => {
    for (const version of versions) informer.set(version);
    const last = versions.at(-1);
    return (last && contents.applyTo(last).past) ?? [];
  };
  return { contents, informer, see };
}

describe('The past of a source', () => {
  it('is empty until it changes, and the facts are the same', () => {
    const { contents, see } = setUp();
    const only = facts('x', 10);
    expect(see(only)).toEqual([]);
    expect(contents.applyTo(only)).toBe(only);
  });

  it('holds each content from its write to the next, and says which one was the first', () => {
    expect(setUp().see(facts('x', 10), facts('y', 20), facts('x', 30))).toEqual([
      { digest: 'x', keyDigests: 'k\0x', by: '', from: 10, until: 20, first: true },
      { digest: 'y', keyDigests: 'k\0y', by: '', from: 20, until: 30 },
    ]);
  });

  it('knows who wrote each content', () => {
    const written = (digest: string, at: number, writtenBy: string) => ({ ...facts(digest, at), writtenBy });
    const past = setUp().see(written('x', 10, 'one'), written('y', 20, 'two'), written('z', 30, 'one'));
    expect(past.map(({ by }) => by)).toEqual(['one', 'two']);
  });

  it('is not moved by a label that was written later', () => {
    const [, second] = setUp().see(facts('x', 10), facts('y', 20), facts('y', 25), facts('x', 30));
    expect(second).toMatchObject({ digest: 'y', from: 20, until: 30 });
  });

  it('has the time of the event if the object does not have the time of the change', () => {
    const { see } = setUp((object) => ({ ...object, writtenAt: 99 }));
    expect(see(facts('x', 10), facts('y', 10))).toMatchObject([{ from: 10, until: 99 }]);
  });

  it('never lasts longer than the time of a later write, where our clock was ahead', () => {
    const ahead = (object: SourceFacts) => (object.digest === 'y' ? { ...object, writtenAt: 99 } : object);
    expect(setUp(ahead).see(facts('x', 10), facts('y', 10), facts('z', 20))).toMatchObject([
      { digest: 'x', from: 10, until: 20 },
      { digest: 'y', from: 20, until: 20 },
    ]);
  });

  it('ends with the source, and is not that of another one of the same name', () => {
    const { informer, see } = setUp();
    see(facts('x', 10), facts('y', 20));
    informer.remove(facts('y', 20).metadata);
    expect(see(facts('y', 20))).toEqual([]);
    const other = facts('z', 40);
    expect(see({ ...other, metadata: { ...other.metadata, uid: 'uid-other' } })).toEqual([]);
  });

  it('is bounded: eight contents, and the thousand sources that changed last', () => {
    const { contents, see } = setUp();
    const versions = Array.from({ length: 20 }, (_, index) => facts(`v${index}`, index));
    expect(see(...versions).map(({ digest }) => digest)).toEqual([
      'v11',
      'v12',
      'v13',
      'v14',
      'v15',
      'v16',
      'v17',
      'v18',
    ]);
    for (let index = 0; index < 1000; index++) see(facts('x', 1, `n${index}`), facts('y', 2, `n${index}`));
    expect(contents.applyTo(facts('y', 2)).past).toBeUndefined();
    expect(contents.applyTo(facts('y', 2, 'n0')).past).toHaveLength(1);
  });
});
