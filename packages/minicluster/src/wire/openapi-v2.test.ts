import { describe, expect, it } from 'vitest';
import { openApiV2Protobuf } from './openapi-v2.ts';
import { asBytes, asText, type WireValue, wireFields } from './wire-reader.ts';

const kind = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  verbs: ['patch'],
};

const parts = (bytes: WireValue | undefined, number: number): WireValue[] =>
  [...wireFields(asBytes(bytes ?? new Uint8Array()))]
    .filter((field) => field.number === number)
    .map(({ value }) => value);
const names = (list: readonly WireValue[]): string[] =>
  list.map((each) => asText(parts(each, 1)[0] as WireValue));

/** Field numbers as in the published `OpenAPIv2.proto`. */
describe('openApiV2Protobuf', () => {
  const document = openApiV2Protobuf([kind]);

  it('names paths and definitions', () => {
    expect(asText(parts(document, 1)[0] as WireValue)).toBe('2.0');
    expect(names(parts(parts(document, 8)[0], 2))).toEqual([
      '/api/v1/namespaces/{namespace}/configmaps/{name}',
    ]);
    expect(names(parts(parts(document, 9)[0], 1))).toContain('io.k8s.api.core.v1.ConfigMap');
  });

  it('holds the properties of a definition with their types and extensions', () => {
    const [configMap] = parts(parts(document, 9)[0], 1).filter((each) =>
      names([each])[0]?.endsWith('.ConfigMap'),
    );
    const [schema] = parts(configMap, 2);
    const properties = parts(parts(schema, 25)[0], 1);
    expect(names(properties)).toEqual(['apiVersion', 'binaryData', 'data', 'immutable', 'kind', 'metadata']);
    const [immutable] = properties.filter((each) => names([each])[0] === 'immutable');
    expect(asText(parts(parts(parts(immutable, 2)[0], 22)[0], 1)[0] as WireValue)).toBe('boolean');
    expect(names(parts(schema, 31))).toEqual(['x-kubernetes-group-version-kind']);
  });
});
