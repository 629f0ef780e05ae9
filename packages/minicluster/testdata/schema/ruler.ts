/** Validation rules as data: a CRD full of them, bodies that satisfy or violate them, and invalid rules. */
import type { Schema, ValidationRule } from '../../src/schema/schema.ts';
import type { BodyCase } from './gadget.ts';

const ruled = (schema: Schema, rule: string, more: Partial<ValidationRule> = {}): Schema => ({
  ...schema,
  'x-kubernetes-validations': [{ rule, ...more }],
});
const integer: Schema = { type: 'integer' };
const word: Schema = { type: 'string', maxLength: 20 };
const object = (...names: string[]): Schema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, integer])),
});

export const RULER_SCHEMA: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        a: ruled(integer, 'self > 1'),
        s: ruled(word, 'self.startsWith("x")', { message: 'must start with x' }),
        l: ruled({ type: 'array', maxItems: 5, items: integer }, 'self.all(x, x > 0)', {
          message: 'only positive',
        }),
        o: ruled(object('p', 'q'), 'self.p < self.q', {
          messageExpression: 'self.p > self.q ? "p beyond q" : "p equals q"',
        }),
        f: ruled(object('p'), 'self.p > 5', {
          fieldPath: '.p',
          reason: 'FieldValueForbidden',
          message: 'no',
        }),
        r: ruled(object('p'), 'has(self.p)', {
          fieldPath: '.p',
          reason: 'FieldValueRequired',
          message: 'need p',
        }),
        d: ruled(word, 'self != "dup"', { reason: 'FieldValueDuplicate' }),
        im: ruled(word, 'self == oldSelf', { message: 'immutable' }),
        parts: {
          type: 'array',
          maxItems: 3,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: ruled(
            { type: 'object', required: ['name'], properties: { name: word, n: integer } },
            '!has(oldSelf.n) || self.n >= oldSelf.n',
            { message: 'n must not shrink' },
          ),
        },
        m: { type: 'object', maxProperties: 3, additionalProperties: ruled(integer, 'self != 5') },
        e: ruled(object('x'), 'self.x > 1'),
        b: ruled({ type: 'boolean' }, 'self'),
        opt: ruled(integer, '!oldSelf.hasValue() || self > oldSelf.value()', {
          optionalOldSelf: true,
          message: 'must grow',
        }),
        long: ruled({ type: 'string', maxLength: 100 }, 'self == "no"'),
        n: ruled({ type: 'number' }, 'self > 1.5'),
        ios: ruled({ 'x-kubernetes-int-or-string': true }, 'type(self) == int ? self > 1 : self == "a"'),
        t: ruled({ type: 'string', format: 'date-time' }, 'self > timestamp("2020-01-01T00:00:00Z")'),
        me: ruled(integer, 'self > 1', { message: 'plain', messageExpression: 'self == 0 ? "zero" : ""' }),
        esc: ruled(
          object('a-b', 'if', 'c__d', 'e.f', 'g/h'),
          'self.a__dash__b > 0 && self.__if__ > 0 && self.c__underscores__d > 0 && self.e__dot__f > 0 && self.g__slash__h > 0',
        ),
        even: ruled(integer, 'self % 2 == 0 && self + 1 > 0'),
        pattern: ruled(word, "self.matches('^(a+)+$')", { message: 'only a' }),
        sorted: ruled({ type: 'array', maxItems: 4, items: integer }, 'self.isSorted() && self.sum() < 10'),
        quantity: ruled(word, "quantity(self).isLessThan(quantity('1Gi'))", { message: 'less than a Gi' }),
        url: ruled(word, 'isURL(self)', { message: 'a URL' }),
        optional: ruled(object('x'), 'self.?x.orValue(3) > 2'),
        maybe: ruled({ type: 'integer', nullable: true }, 'self > 1'),
        fields: ruled(
          { type: 'object', maxProperties: 3, additionalProperties: { type: 'string', maxLength: 5 } },
          "self.all(k, k.startsWith('k') && self[k] != '')",
          { message: 'keys start with k' },
        ),
        untouched: ruled(integer, 'self < 3'),
      },
    },
  },
  'x-kubernetes-validations': [
    { rule: 'self.metadata.name != "bad"', message: 'bad name' },
    { rule: '!has(self.spec) || !has(self.spec.a) || self.spec.a < 100' },
  ],
};

export const RULER_CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'rulers.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'rulers', singular: 'ruler', kind: 'Ruler', listKind: 'RulerList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: RULER_SCHEMA } }],
  },
};

const ruler = (spec: object, name = 'subject'): BodyCase => ({
  name: `${JSON.stringify(spec)}${name === 'subject' ? '' : ` of ${name}`}`,
  body: { apiVersion: 'example.org/v1', kind: 'Ruler', metadata: { name }, spec },
});

/** Sent as creations. */
export const rulerBodies: readonly BodyCase[] = [
  ruler({ a: 1 }),
  ruler({ a: 5 }),
  ruler({ a: 200 }),
  ruler({ s: 'a' }),
  ruler({ s: 'xa' }),
  ruler({ l: [0, 1] }),
  ruler({ l: [2, 1] }),
  ruler({ o: { p: 2, q: 1 } }),
  ruler({ o: { p: 2, q: 2 } }),
  ruler({ o: { p: 1, q: 2 } }),
  ruler({ o: { p: 2 } }),
  ruler({ f: { p: 1 } }),
  ruler({ r: {} }),
  ruler({ d: 'dup' }),
  ruler({ im: 'a' }),
  ruler({ m: { x: 5, y: 6 } }),
  ruler({ e: {} }),
  ruler({ b: false }),
  ruler({ b: true }),
  ruler({ opt: 1 }),
  ruler({ long: 'y'.repeat(100) }),
  ruler({ n: 1 }),
  ruler({ n: 2 }),
  ruler({ n: 1.75 }),
  ruler({ ios: 1 }),
  ruler({ ios: 'b' }),
  ruler({ ios: 5 }),
  ruler({ t: '2019-01-01T00:00:00Z' }),
  ruler({ t: '2021-01-01T00:00:00Z' }),
  ruler({ me: 0 }),
  ruler({ me: 1 }),
  ruler({ esc: { 'a-b': 1, if: 1, c__d: 1, 'e.f': 1, 'g/h': 1 } }),
  ruler({ esc: { 'a-b': 0, if: 1, c__d: 1, 'e.f': 1, 'g/h': 1 } }),
  ruler({ even: 3 }),
  ruler({ even: 4 }),
  ruler({ pattern: 'aaab' }),
  ruler({ pattern: 'aaaaaaaaaaaaaaaaaaaa' }),
  ruler({ sorted: [1, 3, 2] }),
  ruler({ sorted: [1, 2, 3] }),
  ruler({ sorted: [1, 2, 30] }),
  ruler({ quantity: '2Gi' }),
  ruler({ quantity: '500Mi' }),
  ruler({ quantity: 'lots' }),
  ruler({ url: 'https://example.org/' }),
  ruler({ url: 'nowhere' }),
  ruler({ optional: {} }),
  ruler({ optional: { x: 1 } }),
  ruler({ maybe: null }),
  ruler({ maybe: 1 }),
  ruler({ maybe: 2 }),
  ruler({ fields: { k1: 'x' } }),
  ruler({ fields: { k1: 'x', other: 'y' } }),
  ruler({ fields: {} }),
  ruler({}, 'bad'),
  ruler({ a: 1, s: 'a' }),
];

/** The object before the changes. */
export const RULER_BEFORE = {
  apiVersion: 'example.org/v1',
  kind: 'Ruler',
  metadata: { name: 'subject' },
  spec: { im: 'a', parts: [{ name: 'p', n: 5 }], opt: 5, a: 5 },
};

/** Sent as merge patches of `spec`. */
export const rulerChanges: readonly object[] = [
  { im: 'b' },
  { im: null },
  { parts: [{ name: 'p', n: 4 }] },
  { parts: [{ name: 'q', n: 4 }] },
  {
    parts: [
      { name: 'q', n: 1 },
      { name: 'p', n: 6 },
    ],
  },
  { opt: 4 },
  { opt: 6 },
  { a: 1 },
  { s: 'q' },
];

/** Rules in a CRD's spec that a server refuses, and a few that look odd but are valid. */
export const ruleCases: readonly ValidationRule[] = [
  { rule: 'self.replicas > 1' },
  { rule: 'self.foo > 1' },
  { rule: "self.replicas > 'a'" },
  { rule: 'self.replicas' },
  { rule: 'bar == 1' },
  { rule: 'self.name.foo()' },
  { rule: '' },
  { rule: '  ' },
  { rule: 'self.replicas > 1', message: '' },
  { rule: 'self.replicas > 1', message: ' ' },
  { rule: 'self.replicas > 1', message: 'a\nb' },
  { rule: 'self.replicas > 1\n && true' },
  { rule: 'self.replicas > 1\n && true', message: 'fine' },
  { rule: 'self.replicas > 1', messageExpression: '1' },
  { rule: 'self.replicas > 1', messageExpression: 'self.foo' },
  { rule: 'self.replicas > 1', messageExpression: '' },
  { rule: 'self.replicas > 1', reason: 'Bogus' },
  { rule: 'self.replicas > 1', reason: 'FieldValueForbidden' },
  { rule: 'self.replicas > 1', fieldPath: '.foo' },
  { rule: 'self.replicas > 1', fieldPath: '.replicas' },
  { rule: 'self.replicas > 1', fieldPath: 'replicas' },
  { rule: 'self.replicas > 1', fieldPath: '.nested.a' },
  { rule: 'self.replicas > 1.5' },
  { rule: 'self.replicas == 1.5' },
  { rule: 'self == oldSelf' },
  { rule: 'self.nested == oldSelf.nested' },
  { rule: 'self.tags.all(t, t > 1)' },
  { rule: 'self.tags.all(t, t.size() > 1)' },
  { rule: 'size(self.m) > 1' },
  { rule: 'self.m.a > 1' },
  { rule: 'oldSelf.hasValue()', optionalOldSelf: true },
  { rule: 'self.replicas > 1', optionalOldSelf: true },
  { rule: 'self.tags.exists(x, y)' },
  { rule: 'self.nested.b == 1' },
  { rule: 'has(self.foo)' },
];

/** The CRD spec for `ruleCases`. */
export const RULED_SPEC: Schema = {
  type: 'object',
  properties: {
    replicas: integer,
    name: { type: 'string', maxLength: 10 },
    tags: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 5 } },
    m: { type: 'object', maxProperties: 4, additionalProperties: integer },
    nested: object('a'),
  },
};

export function ruledCrd(rule: ValidationRule): object {
  const spec = { ...RULED_SPEC, 'x-kubernetes-validations': [rule] };
  return {
    ...RULER_CRD,
    spec: {
      ...RULER_CRD.spec,
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  };
}
