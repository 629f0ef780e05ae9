import { FakeInformer } from '@reloader/runtime/testing';
import { expect, it } from 'vitest';
import { ConfigMaps } from '../model/kinds.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import { sourceFacts } from '../want/world.test.support.ts';
import { Appeared } from './appeared.ts';

const facts = (name: string): SourceFacts => ({
  ...sourceFacts({ name }),
  metadata: { ...sourceFacts({ name }).metadata, uid: `uid-${name}` },
});

it('knows the sources that came after the first list, the latest thousand of them', () => {
  const appeared = new Appeared();
  const informer = new FakeInformer<SourceFacts>(ConfigMaps);
  appeared.follow(informer);
  const has = (name: string): boolean => appeared.applyTo(facts(name)).appeared === true;
  informer.set(facts('listed'));
  informer.sync();
  informer.set(facts('new'));
  expect([has('listed'), has('new')]).toEqual([false, true]);
  const same = facts('listed');
  expect(appeared.applyTo(same)).toBe(same);
  for (let number = 1; number <= 1000; number += 1) informer.set(facts(`n${number}`));
  expect([has('new'), has('n1'), has('n1000')]).toEqual([false, true, true]);
  informer.remove({ namespace: 'shop', name: 'n1000' });
  expect(has('n1000')).toBe(false);
});
