import { describe, expect, test } from 'vitest';
import { anything, defineKind, intOrString, mapOf, oneOf, rules, SchemaError, Type, time } from './index.ts';

const base = { group: 'example.com', version: 'v1', kind: 'Thing', description: 'A thing.' };
const Thing = defineKind({
  ...base,
  spec: Type.Object({
    size: oneOf(['small', 'large'], { description: 'How big.', default: 'small' }),
    port: Type.Optional(intOrString()),
    labels: Type.Optional(mapOf(Type.String({ maxLength: 3 }))),
    raw: Type.Optional(anything()),
    name: Type.Optional(
      Type.String({ maxLength: 5, pattern: '^[a-z]+$', ...rules({ rule: 'self != "x"', message: 'not x' }) }),
    ),
    mode: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
    tags: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 1 }))),
  }),
  status: { seen: Type.Optional(Type.Integer()) },
  otherVersions: [{ name: 'v1alpha1', spec: Type.Object({}), deprecationWarning: 'use v1' }],
});

const schemaOf = (index = 0) => Thing.crd().spec.versions[index]?.schema.openAPIV3Schema;

describe('a kind from one definition', () => {
  test('is a resource type', () => {
    expect(Thing).toMatchObject({ group: 'example.com', plural: 'things', namespaced: true });
  });

  test('has a structural schema, whatever the library calls things', () => {
    expect(schemaOf()?.properties?.spec?.properties).toEqual({
      size: { description: 'How big.', type: 'string', enum: ['small', 'large'], default: 'small' },
      port: { 'x-kubernetes-int-or-string': true },
      labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } },
      raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      name: {
        type: 'string',
        maxLength: 5,
        pattern: '^[a-z]+$',
        'x-kubernetes-validations': [{ rule: 'self != "x"', message: 'not x' }],
      },
      mode: { type: 'string', enum: ['a', 'b'] },
      tags: { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
    });
    expect(schemaOf()?.properties?.spec?.required).toEqual(['size']);
  });

  test('has a status with the standard fields beside its own, and a deprecated version', () => {
    const names = Object.keys(schemaOf()?.properties?.status?.properties ?? {});
    expect(names).toEqual(['seen', 'observedGeneration', 'phase', 'conditions']);
    expect(Thing.crd().spec.versions[1]).toMatchObject({
      name: 'v1alpha1',
      storage: false,
      deprecated: true,
      deprecationWarning: 'use v1',
    });
  });

  test.each([
    ['a union of objects', Type.Union([Type.Object({}), Type.String()]), 'Thing.spec.bad is a union'],
    ['anything at all', Type.Unknown(), 'Thing.spec.bad has no type'],
    ['a type that JSON lacks', Type.BigInt(), 'Thing.spec.bad has the type "bigint"'],
    ['null alone', Type.Null(), 'use { nullable: true }'],
    [
      'a list without duplicates, which servers refuse to check',
      Type.Array(Type.String(), { uniqueItems: true }),
      "Thing.spec.bad has the keyword uniqueItems, which a CustomResourceDefinition cannot have: use { 'x-kubernetes-list-type': 'set' }",
    ],
    [
      'a check that the server would ignore',
      Type.Array(Type.Object({ a: Type.String() }, { propertyNames: { pattern: '^a' } })),
      'Thing.spec.bad[] has the keyword propertyNames',
    ],
    [
      'named fields beside any others',
      Type.Object({ a: Type.String() }, { additionalProperties: Type.String() }),
      'Thing.spec.bad mixes named fields and patterns',
    ],
    ['an expression with flags', Type.String({ pattern: /a/i }), 'Thing.spec.bad has a pattern with flags'],
  ])('refuses %s, with its place', (_, bad, message) => {
    const kind = defineKind({ ...base, spec: Type.Object({ bad }) });
    expect(() => kind.crd()).toThrow(SchemaError);
    expect(() => kind.crd()).toThrow(message);
  });

  test('writes limits in the words of the API server, and checks them in the same way', () => {
    const kind = defineKind({
      ...base,
      spec: Type.Object({
        share: Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }),
        code: Type.String({ pattern: /^a\d$/, examples: ['a1'], readOnly: true }),
        factor: Type.Union([Type.Literal(0.5), Type.Literal(2)]),
        even: Type.Integer({ multipleOf: 2 }),
        tenths: Type.Optional(Type.Number({ multipleOf: 0.1 })),
      }),
    });
    expect(kind.crd().spec.versions[0]?.schema.openAPIV3Schema.properties?.spec?.properties).toEqual({
      share: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
      code: { type: 'string', pattern: '^a\\d$' },
      factor: { type: 'number', enum: [0.5, 2] },
      even: { type: 'integer', multipleOf: 2 },
      tenths: { type: 'number', multipleOf: 0.1 },
    });
    expect(kind.validate({ spec: { share: 0.5, code: 'a1', factor: 0.5, even: 4, tenths: 0.3 } })).toEqual(
      [],
    );
    const problems = kind.validate({ spec: { share: 0, code: 'b', factor: 1, even: 3 } });
    expect(problems.map(({ field, message }) => `${field} ${message}`)).toEqual([
      'spec.share must be more than 0',
      'spec.code must match ^a\\d$',
      'spec.factor must be one of 0.5, 2',
      'spec.even must be a multiple of 2',
    ]);
    expect(kind.validate({ spec: { share: 1, code: 'a1', factor: 2, even: 2 } })).toEqual([
      { field: 'spec.share', message: 'must be less than 1' },
    ]);
  });

  test('checks objects without a server', () => {
    expect(Thing.validate({ spec: { size: 'small', port: '25%', tags: { a: 1 } } })).toEqual([]);
    const problems = Thing.validate({
      spec: { size: 'tiny', port: 1.5, labels: { a: 'long' }, name: 'UPPER-CASE', tags: { a: 0 }, more: 1 },
    });
    expect(problems.map(({ field, message }) => `${field} ${message}`)).toEqual([
      'spec.size must be one of small, large',
      'spec.port must be a whole number or a text',
      'spec.labels.a must have a length of at most 3',
      'spec.name must have a length of at most 5',
      'spec.name must match ^[a-z]+$',
      'spec.tags.a must be at least 1',
      'spec.more is not a field of this kind',
    ]);
    expect(Thing.validate({})).toEqual([{ field: 'spec', message: 'is required' }]);
  });

  test('checks after the server has dropped nulls and filled in defaults', () => {
    expect(Thing.validate({ spec: {} })).toEqual([]);
    expect(Thing.validate({ spec: { size: null, labels: null, tags: { a: null } } })).toEqual([]);
    const kind = defineKind({
      ...base,
      spec: Type.Object({
        list: Type.Optional(Type.Array(Type.String())),
        name: Type.String(),
        none: Type.Optional(Type.String({ nullable: true, maxLength: 3 })),
      }),
    });
    expect(kind.validate({ spec: { list: [null], name: null, none: null } })).toEqual([
      { field: 'spec.name', message: 'is required' },
      { field: 'spec.list[0]', message: 'must not be null' },
    ]);
  });

  test.each([
    ['2021-01-01T00:00:00Z', true],
    ['2024-02-29T23:59:59.5+02:00', true],
    ['2021-02-31T00:00:00Z', false],
    ['2021-01-01T24:00:00Z', false],
    ['2021-01-01 00:00:00Z', false],
    ['2021-01-01', false],
    ['Jan 1 2021', false],
  ])('a time such as %s is taken as the server does: %s', (at, valid) => {
    const kind = defineKind({ ...base, spec: Type.Object({ at: time() }) });
    expect(kind.validate({ spec: { at } })).toEqual(
      valid ? [] : [{ field: 'spec.at', message: 'must be a time (RFC 3339)' }],
    );
  });

  test('has a page of reference', () => {
    const page = Thing.reference();
    expect(page).toContain('# Thing reference');
    expect(page).toMatch(/\| `size` +\| `small`, `large` +\| yes +\| How big\./);
    expect(page).toContain('Rule: not x.');
  });
});
