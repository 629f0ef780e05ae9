import { describe, expect, it } from 'vitest';
import { customResourceSchema, definition, resolve, schemaFor } from './definitions.ts';

describe('the table of built-in kinds', () => {
  it.each([
    ['', 'v1', 'Pod'],
    ['apps', 'v1', 'Deployment'],
    ['autoscaling', 'v1', 'Scale'],
    ['policy', 'v1', 'Eviction'],
    ['authentication.k8s.io', 'v1', 'TokenRequest'],
    ['', 'v1', 'DeleteOptions'],
  ])('has %s/%s %s', (group, version, kind) => {
    expect(schemaFor({ group, version, kind })?.type).toBe('object');
  });

  it('has no schema for other kinds', () => {
    expect(schemaFor({ group: 'apps', version: 'v1', kind: 'Nope' })).toBeUndefined();
    expect(definition('constructor')).toBeUndefined();
  });

  it('resolves references, and what stands beside one wins', () => {
    const spec = schemaFor({ group: 'apps', version: 'v1', kind: 'Deployment' })?.properties?.spec;
    expect(spec?.$ref).toBe('#/definitions/io.k8s.api.apps.v1.DeploymentSpec');
    expect(resolve(spec ?? {}).properties?.replicas).toEqual({ type: 'integer', format: 'int32' });
    expect(resolve({ ...spec, 'x-kubernetes-map-type': 'atomic' })['x-kubernetes-map-type']).toBe('atomic');
    expect(() => resolve({ $ref: '#/definitions/nope' })).toThrow('#/definitions/nope');
  });

  it('completes the schema of a custom resource with what every object has', () => {
    const own = { type: 'object' as const, properties: { spec: { type: 'string' as const } } };
    expect(Object.keys(customResourceSchema(own).properties ?? {})).toEqual([
      'spec',
      'apiVersion',
      'kind',
      'metadata',
    ]);
    expect(customResourceSchema(own)).toBe(customResourceSchema(own));
  });
});
