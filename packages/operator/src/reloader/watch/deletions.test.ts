import type { Client, ListOptions } from '@reloader/runtime';
import { createCapturingLogger, FakeInformer, VirtualClock } from '@reloader/runtime/testing';
import { expect, it } from 'vitest';
import { ConfigMaps } from '../model/kinds.ts';
import type { SourceRef } from '../model/source.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import { sourceFacts } from '../want/world.test.support.ts';
import { Deletions } from './deletions.ts';

const ref: SourceRef = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' };

/** `answers`: the number of objects in each list, or an error. */
function setUp(...answers: (number | Error)[]) {
  const clock = new VirtualClock();
  const asked: ListOptions[] = [];
  const list = async (_type: unknown, options: ListOptions): Promise<{ items: unknown[] }> => {
    asked.push(options);
    const answer = answers.shift() ?? 0;
    if (answer instanceof Error) throw answer;
    return { items: Array.from({ length: answer }) };
  };
  const client = { list } as unknown as Pick<Client, 'list'>;
  const deletions = new Deletions({ client, clock, logger: createCapturingLogger().logger });
  const informer = new FakeInformer<SourceFacts>(ConfigMaps);
  deletions.follow(informer);
  informer.sync();
  return { clock, asked, deletions, informer };
}

it('a source that a list of its name does not find is gone, until it is back', async () => {
  const { asked, deletions, informer } = setUp(0);
  await deletions.prove(ref);
  expect(deletions.has(ref)).toBe(true);
  expect(asked).toEqual([{ namespace: 'shop', fieldSelector: 'metadata.name=settings', metadataOnly: true }]);
  informer.set(sourceFacts({ name: 'settings' }));
  expect(deletions.has(ref)).toBe(false);
});

it('one that still exists has only lost its label', async () => {
  const { deletions } = setUp(1);
  await deletions.prove(ref);
  expect(deletions.has(ref)).toBe(false);
});

it('one that comes back while the list is under way is not gone', async () => {
  const { deletions, informer } = setUp(0);
  const proof = deletions.prove(ref);
  informer.set(sourceFacts({ name: 'settings' }));
  await proof;
  expect(deletions.has(ref)).toBe(false);
});

it('a list that fails is tried again twice, and then nothing is known', async () => {
  const failure = new Error('unavailable');
  const { clock, deletions } = setUp(failure, failure, 0, failure, failure, failure);
  const second = deletions.prove(ref);
  await clock.advance(5_000);
  await second;
  expect(deletions.has(ref)).toBe(true);
  const other = { ...ref, name: 'other' };
  const third = deletions.prove(other);
  await clock.advance(5_000);
  await third;
  expect(deletions.has(other)).toBe(false);
});
