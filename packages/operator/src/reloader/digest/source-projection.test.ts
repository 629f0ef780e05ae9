import type { kinds, Stored } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../model/annotations.ts';
import { keyDigestsOf } from '../model/source-facts.ts';
import { configMapFacts, secretFacts } from './source-projection.ts';

const names = DEFAULT_ANNOTATIONS;
const key = Buffer.alloc(32, 1);
const keyed = { names, key };
const plain = { names, key: undefined };

function stored<T extends object>(parts: T, metadata: object = {}) {
  return {
    metadata: {
      name: 'settings',
      namespace: 'shop',
      uid: 'u1',
      resourceVersion: '5',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    ...parts,
  };
}

const secret = (data: Record<string, string>, metadata: object = {}): Stored<kinds.SecretObject> => {
  const entries = Object.entries(data).map(([name, value]) => [name, Buffer.from(value).toString('base64')]);
  return stored({ data: Object.fromEntries(entries) }, metadata);
};
const map = (parts: Partial<kinds.ConfigMapObject>, metadata: object = {}): Stored<kinds.ConfigMapObject> =>
  stored(parts, metadata);

/** Seconds of `2026-01-01T00:00:SSZ`. */
const at = (seconds: number): number => Date.UTC(2026, 0, 1) / 1000 + seconds;
const entry = (seconds: number, fieldsV1: object, manager = 'kubectl') => ({
  manager,
  time: `2026-01-01T00:00:${String(seconds).padStart(2, '0')}Z`,
  fieldsV1,
});

describe('Facts of a Secret', () => {
  it("carry Stakater's hash beside a keyed one for its slot", () => {
    const { slot, sha1 } = secretFacts(secret({ test: 'test' }), keyed);
    expect(sha1).toBe('b3cefbcce711f8574b0e66c41fc1dcf06eb5b6db');
    expect(slot).toMatch(/^[0-9a-f]{40}$/);
    expect(slot).not.toBe(sha1);
  });

  it("have Stakater's hash in the slot where there is no key", () => {
    const { slot, sha1 } = secretFacts(secret({ test: 'test' }), plain);
    expect(slot).toBe(sha1);
  });

  it('hold nothing of its values, nor of annotations that are not ours', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":"hunter2"}' };
    const text = JSON.stringify(secretFacts(secret({ a: 'hunter2' }, { annotations }), keyed));
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain(Buffer.from('hunter2').toString('base64'));
  });

  it('are the same for base64 with and without padding', () => {
    const padded = secretFacts(stored({ data: { a: 'YQ==' } }), keyed);
    expect(secretFacts(stored({ data: { a: 'YQ' } }), keyed).digest).toBe(padded.digest);
  });

  it('take a key named __proto__ like any other', () => {
    const data = JSON.parse('{"__proto__":"YQ=="}') as Record<string, string>;
    const facts = secretFacts(stored({ data }), keyed);
    expect([...keyDigestsOf(facts).keys()]).toEqual(['__proto__']);
    expect(facts.digest).not.toBe(secretFacts(stored({}), keyed).digest);
  });
});

describe('Facts of a ConfigMap', () => {
  it("have Stakater's hash in the slot, whatever the key", () => {
    const binaryData = { bintest: Buffer.from('test').toString('base64') };
    const { slot, sha1 } = configMapFacts(map({ data: { test: 'test' }, binaryData }), keyed);
    expect(slot).toBe('0d58150de76a895b24f4ca213f590766160c4349');
    expect(sha1).toBe(slot);
  });

  it('have a digest for each key, of data and binary data', () => {
    const facts = configMapFacts(map({ data: { a: '1' }, binaryData: { b: 'YQ==' } }), keyed);
    expect([...keyDigestsOf(facts).keys()]).toEqual(['a', 'b']);
  });

  it('change with the content and not with metadata', () => {
    const one = configMapFacts(map({ data: { a: '1' } }), keyed);
    const touched = { resourceVersion: '6', labels: { x: 'y' } };
    expect(configMapFacts(map({ data: { a: '1' } }, touched), keyed).digest).toBe(one.digest);
    expect(configMapFacts(map({ data: { a: '2' } }), keyed).digest).not.toBe(one.digest);
  });

  it('keep labels, our annotations and renamed ones', () => {
    const annotations = { 'reloader.stakater.com/match': 'true', 'acme.com/ignore': 'true', other: 'x' };
    const renamed = { names: { ...names, ignore: 'acme.com/ignore' }, key };
    const facts = configMapFacts(map({}, { annotations, labels: { app: 'a' } }), renamed);
    expect(facts.annotations).toEqual({ 'reloader.stakater.com/match': 'true', 'acme.com/ignore': 'true' });
    expect(facts.labels).toEqual({ app: 'a' });
  });

  it('mark ConfigMaps of a PodConfigMapConfig', () => {
    const labels = { 'podconfig.example.com/generated-by-pcmc': 'mine' };
    expect(configMapFacts(map({}, { labels }), keyed).generated).toBe(true);
    expect(configMapFacts(map({}), keyed).generated).toBe(false);
  });
});

describe('The time of the last write', () => {
  it.each([
    ['the creation, without managedFields', undefined, 0],
    ['the newest entry that owns data', [entry(10, { 'f:data': {} }), entry(20, { 'f:data': {} })], 20],
    ['not that of labels', [entry(10, { 'f:data': {} }), entry(30, { 'f:metadata': {} })], 10],
    ['that of binary data, too', [entry(10, { 'f:data': {} }), entry(15, { 'f:binaryData': {} })], 15],
    ['the creation, where no entry owns data', [entry(30, { 'f:metadata': {} })], 0],
    ['the creation, where times cannot be read', [{ ...entry(1, { 'f:data': {} }), time: 'soon' }], 0],
  ])('is %s', (_, managedFields, seconds) => {
    expect(configMapFacts(map({}, { managedFields }), keyed).writtenAt).toBe(at(seconds));
  });
});
