import { describe, expect, it } from 'vitest';
import { schemaFor } from '../schema/definitions.ts';
import { managerName, trackUpdate, type Writer } from './managed-fields.ts';

const schema = schemaFor({ group: '', version: 'v1', kind: 'ConfigMap' });
const writer: Writer = { manager: 'me', apiVersion: 'v1', time: '2026-01-01T00:00:00Z' };
const configMap = (data: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
  data,
});

describe('trackUpdate', () => {
  it('writes who, how, when and what', () => {
    expect(trackUpdate(undefined, configMap({ x: '1' }), schema, writer)).toEqual([
      {
        manager: 'me',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { '.': {}, 'f:x': {} } },
      },
    ]);
  });

  it('ignores what the endpoint does not write', () => {
    const next = configMap({ x: '1' }, { labels: { a: 'b' } });
    const entries = trackUpdate(undefined, next, schema, writer, { resetFields: [['data']] });
    expect(entries?.[0]?.fieldsV1).toEqual({ 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } });
  });

  it('has nothing to say of an object that has no fields but the server’s own', () => {
    const { data: _, ...bare } = configMap({});
    expect(trackUpdate(undefined, bare, schema, writer)).toBeUndefined();
  });

  it('ignores entries that come through a subresource', () => {
    const managedFields = trackUpdate(undefined, configMap({ x: '1' }), schema, writer);
    const live = configMap({ x: '1' }, { managedFields });
    const sent = configMap({ x: '1' }, { managedFields: [] });
    expect(trackUpdate(live, sent, schema, { ...writer, subresource: 'status' })).toBe(managedFields);
    expect(trackUpdate(live, sent, schema, writer)).toBeUndefined();
  });

  it('is not confused by keys that objects inherit', () => {
    const data = JSON.parse('{"__proto__":"1","constructor":"2","toString":"3"}') as object;
    const entries = trackUpdate(configMap({}, { managedFields: [] }), configMap(data), schema, writer);
    expect(entries).toBeUndefined();
    expect(JSON.stringify(trackUpdate(undefined, configMap(data), schema, writer)?.[0]?.fieldsV1)).toBe(
      '{"f:data":{".":{},"f:__proto__":{},"f:constructor":{},"f:toString":{}}}',
    );
  });
});

describe('managerName', () => {
  it.each([
    ['given', 'kubectl/v1.36', 'given'],
    ['', 'kubectl/v1.36 (linux)', 'kubectl'],
    [undefined, 'node', 'node'],
    [undefined, undefined, 'unknown'],
    [undefined, '', 'unknown'],
    [undefined, `${'x'.repeat(200)}/1`, 'x'.repeat(128)],
    [undefined, 'a\u0000b\n/1', 'ab'],
  ])('of parameter %j and user agent %j is %j', (parameter, userAgent, expected) => {
    expect(managerName(parameter, userAgent)).toBe(expected);
  });
});
