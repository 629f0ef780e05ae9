import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Counted, Counts, CountsByNamespace } from './counts.ts';

const namespaces = ['shop', 'bank'] as const;
const counted: fc.Arbitrary<Counted> = fc.record({
  state: fc.constantFrom('failing', 'waiting', 'rolling', 'troubled', 'current'),
  why: fc.constantFrom(undefined, 'frozen', 'batching', 'window'),
  frozen: fc.constantFrom(undefined, 'namespace'),
});

describe('counts', () => {
  test('are those of the present lines, whatever was replaced before', () => {
    const step = fc.record({
      namespace: fc.constantFrom(...namespaces),
      name: fc.constantFrom('a', 'b', 'c'),
      line: fc.option(counted, { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const kept = new Map<string, { readonly namespace: string; readonly line: Counted }>();
        const counts = new CountsByNamespace();
        for (const { namespace, name, line } of steps) {
          const key = `${namespace}/${name}`;
          counts.replace(namespace, kept.get(key)?.line, line);
          if (line) kept.set(key, { namespace, line });
          else kept.delete(key);
        }
        for (const wanted of [undefined, ...namespaces]) {
          const fresh = new Counts();
          for (const { namespace, line } of kept.values())
            if (wanted === undefined || namespace === wanted) fresh.add(line);
          expect(counts.in(wanted)).toEqual(fresh.now);
        }
      }),
    );
  });

  test('of a namespace without lines are zero', () => {
    expect(new CountsByNamespace().in('nowhere')).toMatchObject({ all: 0, byWait: {}, frozen: 0 });
  });
});
