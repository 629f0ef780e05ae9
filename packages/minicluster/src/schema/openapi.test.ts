import { describe, expect, it } from 'vitest';
import { WIDGET_CRD } from '../../testdata/patch/case.ts';
import { openApiV2, openApiV3, openApiV3Index } from './openapi.ts';
import type { OpenApiKind } from './openapi-paths.ts';
import type { Schema } from './schema.ts';

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const deployment: OpenApiKind = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
  verbs: VERBS,
  hasStatus: true,
  scale: {},
};
const namespace: OpenApiKind = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  verbs: VERBS,
};
const widget: OpenApiKind = {
  group: 'example.org',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
  verbs: ['get', 'create'],
  schema: WIDGET_CRD.spec.versions[0].schema.openAPIV3Schema as unknown as Schema,
};
const kinds = [deployment, namespace, widget];

interface V3 {
  paths: Record<
    string,
    Record<string, { parameters: { name: string }[]; 'x-kubernetes-group-version-kind': object }>
  >;
  components: { schemas: Record<string, Schema & Record<string, unknown>> };
}

function references(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)].map(
    ([, reference]) => reference as string,
  );
}

describe('OpenAPI v3', () => {
  it('lists one document per group and version', () => {
    expect(openApiV3Index(kinds, 'abc')).toEqual({
      paths: {
        'api/v1': { serverRelativeURL: '/openapi/v3/api/v1?hash=abc' },
        'apis/apps/v1': { serverRelativeURL: '/openapi/v3/apis/apps/v1?hash=abc' },
        'apis/example.org/v1': { serverRelativeURL: '/openapi/v3/apis/example.org/v1?hash=abc' },
      },
    });
  });

  it('has no document for what is not served', () => {
    expect(openApiV3(kinds, 'apis/batch/v1')).toBeUndefined();
  });

  it.each(['api/v1', 'apis/apps/v1', 'apis/example.org/v1'])('%s refers only to what it contains', (path) => {
    const document = openApiV3(kinds, path) as unknown as V3;
    const names = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(references(document).filter((reference) => !names.includes(reference))).toEqual([]);
    expect(references(document).length).toBeGreaterThan(0);
  });

  it('says on which kind a patch works and that fields can be validated', () => {
    const { paths } = openApiV3(kinds, 'apis/apps/v1') as unknown as V3;
    const patch = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']?.patch;
    expect(patch?.['x-kubernetes-group-version-kind']).toEqual({
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
    });
    expect(patch?.parameters.map(({ name }) => name)).toContain('fieldValidation');
  });

  it('names subresources', () => {
    const { paths } = openApiV3(kinds, 'apis/apps/v1') as unknown as V3;
    const scale = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale']?.get;
    expect(scale?.['x-kubernetes-group-version-kind']).toMatchObject({ kind: 'Scale' });
    expect(Object.keys(paths)).toContain('/apis/apps/v1/namespaces/{namespace}/deployments/{name}/status');
  });

  it('has the schema of a custom kind, with metadata', () => {
    const { components } = openApiV3(kinds, 'apis/example.org/v1') as unknown as V3;
    const schema = components.schemas['org.example.v1.Widget'];
    expect(schema?.properties?.metadata?.$ref).toMatch(/ObjectMeta$/);
    expect(schema?.['x-kubernetes-group-version-kind']).toEqual([
      { group: 'example.org', version: 'v1', kind: 'Widget' },
    ]);
  });
});

describe('OpenAPI v2', () => {
  it('holds all kinds in one document, without what v2 does not know', () => {
    const maybe: OpenApiKind = {
      ...widget,
      kind: 'Maybe',
      schema: { type: 'object', properties: { a: { type: 'string', nullable: true, not: { enum: ['x'] } } } },
    };
    const document = openApiV2([...kinds, maybe]) as {
      definitions: Record<string, object>;
      paths: Record<string, object>;
    };
    const names = Object.keys(document.definitions).map((name) => `#/definitions/${name}`);
    expect(references(document).filter((reference) => !names.includes(reference))).toEqual([]);
    expect(names).toContain('#/definitions/org.example.v1.Widget');
    expect(Object.keys(document.paths)).toContain('/api/v1/namespaces/{name}');
    expect(JSON.stringify(document)).not.toMatch(/"(oneOf|anyOf|nullable)":/);
  });
});
