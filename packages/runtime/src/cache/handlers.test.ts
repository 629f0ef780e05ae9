import { describe, expect, it } from 'vitest';
import { Handlers } from './handlers.ts';
import type { Cached, InformerEvent } from './informer.ts';

const object = (name: string): Cached => ({ metadata: { name, uid: name, resourceVersion: '1' } });
const added = (name: string): InformerEvent<Cached> => ({
  type: 'add',
  object: object(name),
  initial: false,
});

function setUp(): { handlers: Handlers<Cached>; errors: unknown[] } {
  const errors: unknown[] = [];
  return { handlers: new Handlers((error) => errors.push(error)), errors };
}

/** A handler that records names, with an asterisk for initial objects. */
function listener(names: string[]): (event: InformerEvent<Cached>) => void {
  return (event) => {
    const initial = event.type === 'add' && event.initial;
    names.push(event.object.metadata.name + (initial ? '*' : ''));
  };
}

describe('Handlers', () => {
  it('each get every event in order', () => {
    const { handlers } = setUp();
    const [first, second]: [string[], string[]] = [[], []];
    handlers.add(listener(first), [], true);
    handlers.add(listener(second), [], true);
    handlers.notify([added('a'), added('b')]);
    handlers.notify([added('c')]);
    expect(first).toEqual(['a', 'b', 'c']);
    expect(second).toEqual(first);
  });

  it('that are added later get the present objects before they are synced', () => {
    const { handlers } = setUp();
    const names: string[] = [];
    const registration = handlers.add(listener(names), [object('a')], true);
    expect(names).toEqual(['a*']);
    expect(registration.synced).toBe(true);
  });

  it('are synced only once the full list was delivered', () => {
    const { handlers } = setUp();
    const registration = handlers.add(() => {}, [], false);
    expect(registration.synced).toBe(false);
    let during: boolean | undefined;
    handlers.add(
      () => {
        during = registration.synced;
      },
      [],
      false,
    );
    handlers.notify([added('a')]);
    handlers.sync(() => {});
    expect(during).toBe(false);
    expect(registration.synced).toBe(true);
  });

  it('that throw miss no later events, and neither do the others', () => {
    const { handlers, errors } = setUp();
    const names: string[] = [];
    const broken = new Error('broken');
    handlers.add(
      () => {
        throw broken;
      },
      [],
      true,
    );
    handlers.add(listener(names), [], true);
    handlers.notify([added('a'), added('b')]);
    expect(names).toEqual(['a', 'b']);
    expect(errors).toEqual([broken, broken]);
  });

  it('that were removed get no more events, not even of the current batch', () => {
    const { handlers } = setUp();
    const names: string[] = [];
    const note = listener(names);
    const registration = handlers.add(
      (event) => {
        note(event);
        registration.remove();
      },
      [],
      true,
    );
    handlers.notify([added('a'), added('b')]);
    handlers.notify([added('c')]);
    expect(names).toEqual(['a']);
    expect(handlers.count).toBe(0);
  });

  it('that are added by a handler see each object once', () => {
    const { handlers } = setUp();
    const store = [object('a'), object('b')];
    const names: string[] = [];
    let nested = false;
    handlers.add(
      () => {
        if (nested) return;
        nested = true;
        handlers.add(listener(names), store, false);
      },
      [],
      false,
    );
    handlers.notify([added('a'), added('b')]);
    handlers.sync(() => {});
    handlers.notify([added('c')]);
    expect(names).toEqual(['a*', 'b*', 'c']);
  });

  it('get events caused by a handler after the earlier ones', () => {
    const { handlers } = setUp();
    const names: string[] = [];
    handlers.add(
      (event) => {
        if (event.object.metadata.name === 'a') handlers.notify([added('caused by a')]);
      },
      [],
      true,
    );
    handlers.add(listener(names), [], true);
    const after: string[] = [];
    handlers.notify([added('a'), added('b')], () => after.push(...names));
    expect(names).toEqual(['a', 'b', 'caused by a']);
    expect(after).toEqual(['a', 'b']);
  });
});
