import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dataKeys, firstChoice, hashedName, isNameFor, labelValueOf, plainName, podInName } from './names.ts';

const dnsLabel = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,60}[a-z0-9])?$/);
const name = fc.array(dnsLabel, { minLength: 1, maxLength: 4 }).map((labels) =>
  labels
    .join('.')
    .slice(0, 253)
    .replace(/[-.]+$/, ''),
);
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL_VALUE = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const key = fc.stringMatching(/^([a-z0-9]{1,5}\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,8}[A-Za-z0-9])?$/);

describe('The name of a generated ConfigMap', () => {
  it('is one that the API takes, whatever pod and config are called', () => {
    fc.assert(
      fc.property(name, name, (pod, config) => {
        for (const made of [firstChoice(pod, config) ?? hashedName(pod, config), hashedName(pod, config)]) {
          expect(made.length).toBeLessThanOrEqual(253);
          expect(made).toMatch(SUBDOMAIN);
        }
        expect(labelValueOf(config)).toMatch(LABEL_VALUE);
      }),
    );
  });

  it('is recognised as ours by pod and label, and says which pod', () => {
    fc.assert(
      fc.property(name, name, (pod, config) => {
        const label = labelValueOf(config);
        expect(isNameFor(hashedName(pod, config), pod, label)).toBe(true);
        const plain = firstChoice(pod, config);
        if (plain === undefined) return;
        expect(isNameFor(plain, pod, label)).toBe(true);
        if (label === config) expect(podInName(plain, label)).toBe(pod);
      }),
    );
  });

  it.each([
    'copy',
    'pod-web-from-meta-cfg-2',
    'pod-web-from-meta',
    'pod-other-from-meta-cfg',
    'pod-web-from-me-cfg',
  ])('%s is not one for pod web and config meta', (other) =>
    expect(isNameFor(other, 'web', 'meta')).toBe(false),
  );

  it('differs between pairs that the plain name mixes up', () => {
    expect(plainName('a', 'b-from-c')).toBe(plainName('a-from-b', 'c'));
    expect(hashedName('a', 'b-from-c')).not.toBe(hashedName('a-from-b', 'c'));
  });
});

describe('The keys of data', () => {
  it('are one for each label, and keys of a ConfigMap', () => {
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 20 }), (keys) => {
        const found = dataKeys('label_', keys);
        expect(new Set(found.values()).size).toBe(keys.length);
        for (const made of found.values()) expect(made).toMatch(/^label_[-._a-zA-Z0-9]{1,247}$/);
      }),
    );
  });

  it('do not depend on the order in which labels are listed', () => {
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 20 }), (keys) => {
        const backwards = dataKeys('label_', [...keys].reverse());
        for (const [from, to] of dataKeys('label_', keys)) expect(backwards.get(from)).toBe(to);
      }),
    );
  });

  it('keep the name of what needed no change', () => {
    const found = dataKeys('label_', ['a/b', 'a_b']);
    expect(found.get('a_b')).toBe('label_a_b');
    expect(found.get('a/b')).toMatch(/^label_a_b_[0-9a-f]{10}$/);
  });

  it('are cut where a key is too long', () => {
    const long = `${'d'.repeat(250)}/${'n'.repeat(63)}`;
    expect(dataKeys('annotation_', [long]).get(long)).toHaveLength(253);
  });
});
