import { FakeInformer } from '@reloader/runtime/testing';
import { expect, it } from 'vitest';
import { ConfigMaps } from '../model/kinds.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import { sourceFacts } from '../want/world.test.support.ts';
import { LastSeen } from './last-seen.ts';

function setUp() {
  const informer = new FakeInformer<SourceFacts>(ConfigMaps);
  const lastSeen = new LastSeen();
  lastSeen.follow(informer);
  const create = (name: string): void => informer.set(sourceFacts({ name, labels: { name } }));
  const remove = (name: string): void => informer.remove({ namespace: 'shop', name });
  const look = (name: string) => lastSeen.get(`shop/ConfigMap/${name}`);
  return { create, remove, look };
}

it('keeps the last labels and annotations of a source that was deleted', () => {
  const { create, remove, look } = setUp();
  create('a');
  expect(look('a')).toBeUndefined();
  remove('a');
  expect(look('a')).toEqual({ labels: { name: 'a' }, annotations: {} });
});

it('forgets a source that comes back', () => {
  const { create, remove, look } = setUp();
  create('a');
  remove('a');
  create('a');
  expect(look('a')).toBeUndefined();
});

it('keeps a thousand and forgets the oldest first', () => {
  const { create, remove, look } = setUp();
  for (let index = 0; index < 1001; index++) {
    create(`source-${index}`);
    remove(`source-${index}`);
  }
  expect(look('source-0')).toBeUndefined();
  expect(look('source-1')).toBeDefined();
  expect(look('source-1000')).toBeDefined();
});
