import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  dataKey,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  environmentName,
  labelValue,
  pathSegment,
  percent,
  portName,
  qualifiedName,
  type Rule,
  wildcardSubdomain,
} from './names.ts';

const table: readonly (readonly [string, Rule, readonly string[], readonly string[]])[] = [
  [
    'dnsLabel',
    dnsLabel,
    ['a', 'my-name', '123-abc', 'a'.repeat(63)],
    ['', '-a', 'a-', 'A', 'a.b', 'a'.repeat(64)],
  ],
  [
    'dnsSubdomain',
    dnsSubdomain,
    ['a', 'a.b-c.d', 'a'.repeat(253)],
    ['', '.a', 'a..b', 'A', 'a_b', 'a'.repeat(254)],
  ],
  ['dns1035Label', dns1035Label, ['a', 'abc-123'], ['', '1a', 'a.b', 'A']],
  ['wildcardSubdomain', wildcardSubdomain, ['*.example.com'], ['example.com', '*.*.com', '*']],
  [
    'qualifiedName',
    qualifiedName,
    ['a', 'A_b.c-1', 'example.com/Name', '1'],
    ['', '/a', 'a/', 'a/b/c', '-a', 'UPPER.com/a', 'a b', `x/${'a'.repeat(64)}`],
  ],
  ['labelValue', labelValue, ['', 'a', 'A_b.c-1'], ['-', 'a b', 'a/b', 'a'.repeat(64)]],
  [
    'dataKey',
    dataKey,
    ['a', '.a', 'A_b.c-1', '...a'.slice(2)],
    ['', '.', '..', '..a', 'a/b', 'a'.repeat(254)],
  ],
  ['environmentName', environmentName, ['A', '1', 'a b', '~'], ['a=b', 'é', 'a\nb']],
  ['portName', portName, ['http', '8a', 'a-b'], ['', '80', '-a', 'a-', 'a--b', 'HTTP', 'a'.repeat(16)]],
  ['percent', percent, ['0%', '150%'], ['', '%', '1', '-1%', '1.5%']],
  ['pathSegment', pathSegment, ['a', 'A B', 'system:node'], ['.', '..', 'a/b', 'a%b']],
];

describe.each(table)('%s', (_, rule, good, bad) => {
  test.each(good.map((value) => [value]))('takes %j', (value) => {
    expect(rule(value)).toEqual([]);
  });

  test.each(bad.map((value) => [value]))('refuses %j', (value) => {
    expect(rule(value)).not.toEqual([]);
  });
});

test('a label that is only too dotted is told so', () => {
  expect(dnsLabel('a.b')).toEqual(['must not contain dots']);
});

test('both reasons against a name are given', () => {
  expect(dnsLabel(`A${'a'.repeat(63)}`)).toHaveLength(2);
});

test('every label is a subdomain, and every subdomain is labels joined by dots', () => {
  const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,10}[a-z0-9])?$/);
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 5 }), (labels) => {
      for (const part of labels) expect(dnsLabel(part)).toEqual([]);
      expect(dnsSubdomain(labels.join('.'))).toEqual([]);
    }),
  );
});

test('no text makes a rule throw or run long', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a-'.repeat(5000), '.'.repeat(5000))),
      (value) => {
        for (const [, rule] of table) rule(value);
      },
    ),
  );
});
