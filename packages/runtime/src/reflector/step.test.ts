import { describe, expect, it } from 'vitest';
import type { Item } from './fake-server.test.support.ts';
import { DEFAULT_CONFIG, type Input, phaseOf, type State } from './state.ts';
import {
  bookmark,
  data,
  empty,
  event,
  failed,
  forbidden,
  listed,
  listing,
  lost,
  missing,
  watch,
  watching,
  watchListing,
} from './step.test.support.ts';
import { step } from './step.ts';

describe('The state machine as a whole', () => {
  it('refuses an input that answers no effect of its state', () => {
    expect(() => step(DEFAULT_CONFIG, watching(), { type: 'page', meta: {}, at: 0 })).toThrow(
      'state "watching" cannot take the input "page"',
    );
  });

  it.each(['closed', 'lost'] as const)(
    'goes on at once when a watch-list is %s soon after its end mark',
    (how) => {
      const input = (happening: object): Input<Item> => ({ ...happening, at: 5 }) as Input<Item>;
      const filled = step(DEFAULT_CONFIG, watchListing(), input(bookmark('60', true))).state;
      const ended = how === 'closed' ? { type: 'closed' } : failed(lost);
      expect(step(DEFAULT_CONFIG, filled, input(ended)).effect).toEqual(watch('60'));
    },
  );

  it('takes events for ordered only after the first change in a watch without a version', () => {
    const send = (state: State, type: 'ADDED' | 'MODIFIED', version: string): State =>
      step(DEFAULT_CONFIG, state, { ...event(data(type, version)), at: 0 } as Input<Item>).state;
    const begun = watching({ version: '' }, { unordered: true });
    const present = send(begun, 'ADDED', '51');
    expect(present).toMatchObject({ unordered: true, memory: { version: '' } });
    const changed = send(present, 'MODIFIED', '52');
    expect(changed).toMatchObject({ unordered: false, memory: { version: '52' } });
    expect(send(changed, 'ADDED', '53')).toMatchObject({ memory: { version: '53' } });
  });

  it('does not change the state it is given', () => {
    const before = watching();
    const copy = structuredClone(before);
    step(DEFAULT_CONFIG, before, { ...event(data('MODIFIED', '51')), at: 0 } as Input<Item>);
    expect(before).toEqual(copy);
  });

  it.each([
    [empty(), 'listing'],
    [watchListing(), 'listing'],
    [listing(), 'listing'],
    [listed(), 'watching'],
    [watching(), 'watching'],
    [listed({ trouble: { phase: 'forbidden', error: forbidden } }), 'forbidden'],
    [empty({ trouble: { phase: 'missing', error: missing } }), 'missing'],
  ] as const)('describes state %#', (state, phase) => {
    expect(phaseOf(state).phase).toBe(phase);
  });
});
