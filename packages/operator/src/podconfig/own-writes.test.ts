import {
  type CachingInformer,
  type InformerEvent,
  keyString,
  type kinds,
  type Stored,
} from '@reloader/runtime';
import { VirtualClock } from '@reloader/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { GeneratedFacts } from './model.ts';
import { OwnWrites } from './own-writes.ts';
import { projectGenerated } from './project.ts';

const KEY = { namespace: 'shop', name: 'pod-a-from-b-cfg' };

function object(resourceVersion: string, uid = 'u1'): Stored<kinds.ConfigMapObject> {
  return {
    metadata: { ...KEY, uid, resourceVersion },
    data: { version: resourceVersion },
  } as Stored<kinds.ConfigMapObject>;
}

let clock: VirtualClock;
let cache: Map<string, GeneratedFacts>;
let reached: string;
let hand: (event: InformerEvent<GeneratedFacts>) => void;
let own: OwnWrites;

beforeEach(() => {
  clock = new VirtualClock();
  cache = new Map();
  reached = '10';
  const informer = {
    store: { get: (key: typeof KEY) => cache.get(keyString(key)) },
    reached: () => reached,
    addHandler: (handler: typeof hand) => {
      hand = handler;
    },
  };
  own = new OwnWrites(informer as unknown as CachingInformer<GeneratedFacts>, clock);
});

/** The cache receives it, and delivers the event. */
function arrives(version: string, uid?: string): InformerEvent<GeneratedFacts> {
  const facts = projectGenerated(object(version, uid));
  cache.set(keyString(KEY), facts);
  const event = { type: 'add', object: facts, initial: false } as const;
  hand(event);
  reached = version;
  return event;
}

const version = (): string | undefined => own.get(KEY)?.metadata.resourceVersion;

describe('An object that appears while its create has no answer', () => {
  it('is its echo', () => {
    const answered = own.creating(KEY);
    const event = arrives('12');
    expect(own.isEcho(event)).toBe(true);
    answered();
    own.written(object('12'));
    expect(version()).toBe('12');
  });

  it('is no echo once the answer is known, nor is an update', () => {
    const answered = own.creating(KEY);
    arrives('12');
    const facts = projectGenerated(object('13'));
    const edited = { type: 'update', old: facts, object: facts, resync: false } as const;
    hand(edited);
    expect(own.isEcho(edited)).toBe(false);
    answered();
    expect(own.isEcho(arrives('14', 'u2'))).toBe(false);
  });
});

describe('What we wrote', () => {
  it('is there before the cache knows', () => {
    own.written(object('12'));
    expect(version()).toBe('12');
  });

  it('counts until the cache has come so far, and longer versions are newer', () => {
    own.written(object('100'));
    reached = '99';
    expect(version()).toBe('100');
    reached = '100';
    expect(version()).toBeUndefined();
  });

  it('is not remembered where the cache was faster', () => {
    arrives('12');
    cache.clear();
    own.written(object('12'));
    expect(version()).toBeUndefined();
  });

  it('gives way to a later write of another client', () => {
    own.written(object('12'));
    arrives('13');
    expect(version()).toBe('13');
  });

  it('hides an older state that arrives meanwhile', () => {
    own.written(object('12'));
    arrives('11');
    expect(version()).toBe('12');
  });
});

describe('What we deleted', () => {
  it('is gone before the cache knows, and back when it is another one', () => {
    arrives('11');
    own.deleted(projectGenerated(object('11')).metadata);
    expect(version()).toBeUndefined();
    arrives('14', 'u2');
    expect(version()).toBe('14');
  });

  it('is believed to be there again when the cache insists', async () => {
    arrives('11');
    own.deleted(projectGenerated(object('11')).metadata);
    await clock.advance(10_001);
    expect(version()).toBe('11');
  });
});

describe('An event', () => {
  it('is an echo when it is what we wrote, and no other is', () => {
    own.written(object('12'));
    expect(own.isEcho(arrives('11'))).toBe(false);
    const echo = arrives('12');
    expect(own.isEcho(echo)).toBe(true);
    const next = arrives('13');
    expect([own.isEcho(echo), own.isEcho(next)]).toEqual([false, false]);
  });
});
