import type { Stored } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../model/annotations.ts';
import type { PodStatusObject } from '../model/kinds.ts';
import { podStatusFacts, providerClassFacts, sourceOfProviderClass } from './provider-class.ts';

function status(objects: { id: string; version: string }[]): Stored<PodStatusObject> {
  return {
    metadata: {
      name: 'pod-1',
      namespace: 'shop',
      uid: 'u1',
      resourceVersion: '7',
      creationTimestamp: '2026-01-01T00:00:00Z',
      managedFields: [{ manager: 'driver', time: '2026-01-01T00:00:30Z', fieldsV1: { 'f:status': {} } }],
    },
    status: { podName: 'pod-1', secretProviderClassName: 'spc', objects },
  };
}

describe('Facts of a SecretProviderClass', () => {
  const facts = podStatusFacts(status([{ id: 'secret/a', version: '1' }]));

  it("come from the status of a pod, with Stakater's hash as slot", () => {
    const source = sourceOfProviderClass(facts, undefined);
    expect(source).toMatchObject({
      kind: 'SecretProviderClass',
      metadata: { namespace: 'shop', name: 'spc' },
      slot: '1e49c3e8d8a9eb6daed091f20980da1e46e55cec',
      writtenAt: Date.UTC(2026, 0, 1, 0, 0, 30) / 1000,
      annotations: {},
    });
  });

  it('change with the version of an object', () => {
    expect(podStatusFacts(status([{ id: 'secret/a', version: '2' }])).digest).not.toBe(facts.digest);
  });

  it('have the annotations of the class where there is one', () => {
    const metadata = { name: 'spc', namespace: 'shop', uid: 'c1', resourceVersion: '3' };
    const annotations = { 'reloader.stakater.com/ignore': 'true' };
    const known = providerClassFacts({ metadata: { ...metadata, annotations } }, DEFAULT_ANNOTATIONS);
    expect(sourceOfProviderClass(facts, known)).toMatchObject({ metadata, annotations });
  });
});
