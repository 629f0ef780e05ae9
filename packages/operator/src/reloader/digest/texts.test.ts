import { expect, test } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../model/annotations.ts';
import { ourAnnotations } from './texts.ts';

test('annotations of others are dropped, and of thousands under our domain 200 are kept', () => {
  const others = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`example.com/a-${index}`, 'x']),
  );
  const ours = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`reloader.stakater.com/a-${index}`, 'x']),
    );
  expect(ourAnnotations({ ...others, ...ours(199) }, DEFAULT_ANNOTATIONS)).toEqual(ours(199));
  expect(Object.keys(ourAnnotations({ ...others, ...ours(5_000) }, DEFAULT_ANNOTATIONS))).toHaveLength(200);
});
