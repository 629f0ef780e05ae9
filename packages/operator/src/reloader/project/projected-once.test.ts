import type { Stored } from '@reloader/runtime';
import { expect, test } from 'vitest';
import { projectedOnce } from './projected-once.ts';

const object = (uid: string, resourceVersion: string): Stored<{ metadata: { name: string } }> => ({
  metadata: { name: 'web', namespace: 'shop', uid, resourceVersion },
});

test('an object is projected again only when its version or its uid is another one', () => {
  const seen: string[] = [];
  const project = projectedOnce((each: ReturnType<typeof object>) => {
    seen.push(`${each.metadata.uid} ${each.metadata.resourceVersion}`);
    return { metadata: each.metadata };
  });
  const first = project(object('a', '1'));
  expect(project(object('a', '1'))).toBe(first);
  expect(project(object('b', '1'))).not.toBe(first);
  expect(project(object('a', '2')).metadata.resourceVersion).toBe('2');
  expect(project(object('a', '1'))).not.toBe(first);
  expect(seen).toEqual(['a 1', 'b 1', 'a 2', 'a 1']);
});
