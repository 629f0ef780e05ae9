import { expect, test } from 'vitest';
import { DEFAULT_ANNOTATIONS, FIXED_ANNOTATIONS } from '../model/annotations.ts';
import { unknownAnnotations } from './unknown-annotations.ts';

const P = 'reloader.stakater.com';
const told = (annotations: Record<string, string>, template: Record<string, string> = {}, names = {}) =>
  unknownAnnotations(
    { annotations, templateAnnotations: template },
    { ...DEFAULT_ANNOTATIONS, ...names },
  ).map(({ field, reason, message }) => `${reason} ${field}: ${message}`);

test.each([
  [`${P}/atuo`, `did you mean ${P}/auto?`],
  [`${P}/Auto`, `did you mean ${P}/auto?`],
  [`secret.${P}/reloads`, `did you mean secret.${P}/reload?`],
  [`statefullset.${P}/pause-period`, `did you mean statefulset.${P}/pause-period?`],
  [`${P}/a-thing-of-version-nine`, 'a newer version may have it; take it away, or update the operator'],
])('%s is told with what may have been meant', (name, hint) => {
  expect(told({ [name]: 'x' })).toEqual([
    `UnknownAnnotation ${name}: the annotation on the workload is not known to this version of the operator and has no effect: ${hint}`,
  ]);
});

test('so is one on the pod template', () => {
  expect(told({}, { [`${P}/atuo`]: 'true' })[0]).toContain('the annotation on its pod template is not known');
});

test('every annotation of ours is known, and those of other domains are ignored', () => {
  const all = [...Object.values(DEFAULT_ANNOTATIONS), ...Object.values(FIXED_ANNOTATIONS)];
  const annotations = Object.fromEntries(all.map((name) => [name, 'x']));
  expect(told({ ...annotations, [`cronjob.${P}/pause-period`]: '5m', 'example.com/atuo': 'x' })).toEqual([]);
});

test('an annotation that a flag renamed is reported with its new name', () => {
  const names = { auto: 'example.com/auto' };
  expect(told({ 'example.com/auto': 'true' }, {}, names)).toEqual([]);
  expect(told({ [`${P}/auto`]: 'true' }, {}, names)).toEqual([
    `UnknownAnnotation ${P}/auto: the annotation on the workload is not read: a flag of this operator gives it the name example.com/auto`,
  ]);
});

test('of hundreds of unknown annotations ten are reported', () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${P}/x-${index}`, '']));
  expect(told(many)).toHaveLength(10);
});

test('thousands of unknown annotations are not all examined', () => {
  const looked: string[] = [];
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`${P}/auto-${index}`, '']));
  const names = new Proxy(
    { ...DEFAULT_ANNOTATIONS },
    {
      ownKeys(target) {
        looked.push('once');
        return Reflect.ownKeys(target);
      },
    },
  );
  unknownAnnotations({ annotations: many, templateAnnotations: {} }, names);
  expect(looked.length).toBeLessThan(100);
});
