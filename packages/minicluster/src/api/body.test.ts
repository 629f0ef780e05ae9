import { beforeEach, describe, expect, test } from 'vitest';
import { type TestCluster, testCluster } from './cluster.test.helper.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
let t: TestCluster;

beforeEach(async () => {
  t = await testCluster();
});

const post = (body: string | Uint8Array, type = 'application/json') =>
  t.send('POST', MAPS, body, { headers: { 'content-type': type } });

/** The expected messages are those of kube-apiserver 1.36. */
describe('bodies that are no object of the kind', () => {
  const unrecognized = 'the object provided is unrecognized (must be of type ConfigMap): ';
  const parseError = `${unrecognized}couldn't get version/kind; json parse error: `;
  const typeMeta =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  const handled = (kind: string, version: string) =>
    `${kind} in version "${version}" cannot be handled as a ConfigMap: `;

  test.each([
    ['', `${parseError}unexpected end of JSON input (<empty>)`],
    ['{"a":', `${parseError}unexpected end of JSON input ({"a":)`],
    ['{x}', `${parseError}invalid character 'x' looking for beginning of object key string ({x})`],
    ['[]', `${parseError}json: cannot unmarshal array into Go value of type ${typeMeta} (5b5d)`],
    ['5', `${parseError}json: cannot unmarshal number into Go value of type ${typeMeta} (35)`],
    ['true', `${parseError}json: cannot unmarshal bool into Go value of type ${typeMeta} (74727565)`],
    [
      '{"apiVersion":5,"metadata":{"name":"z"}}',
      `${parseError}json: cannot unmarshal number into Go struct field .apiVersion of type string ({"apiVersion":5,"metadata":{"n ...)`,
    ],
    [
      '{"kind":"Secret","apiVersion":"v1"}',
      `${handled('Secret', 'v1')}converting (v1.Secret) to (core.ConfigMap): unknown conversion`,
    ],
    [
      '{"kind":"Foo","apiVersion":"v1"}',
      `${handled('Foo', 'v1')}no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`,
    ],
    [
      '{"kind":"ConfigMap","apiVersion":"v9"}',
      `${handled('ConfigMap', 'v9')}no kind "ConfigMap" is registered for version "v9" in scheme "pkg/runtime/scheme.go:111"`,
    ],
    [
      '{"metadata":{"name":"a"},"data":[]}',
      `${handled('ConfigMap', 'v1')}json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string`,
    ],
  ])('%s', async (body, message) => {
    expect((await post(body)).body).toMatchObject({ code: 400, reason: 'BadRequest', message });
  });

  test('YAML has words of its own', async () => {
    expect((await post('a: b: c', 'application/yaml')).body.message).toBe(
      `${unrecognized}yaml: mapping values are not allowed in this context (613a20623a2063)`,
    );
  });

  test('null is an empty object', async () => {
    expect((await post('null')).body.message).toContain('name or generateName is required');
    expect((await post('{"metadata":null}')).body.message).toContain('name or generateName is required');
  });

  test('what is nested beyond measure', async () => {
    const body = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    expect((await post(body)).body).toMatchObject({
      code: 400,
      message: 'the body of the request is nested too deeply',
    });
  });

  test('what is larger than any request may be', async () => {
    const body = JSON.stringify({ metadata: { name: 'a' }, data: { k: 'x'.repeat(3 * 1024 * 1024) } });
    expect((await post(body)).body).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 3145728',
    });
  });
});

describe('formats', () => {
  test('JSON is assumed where none is named', async () => {
    const answer = await t.send('POST', MAPS, '{"metadata":{"name":"a"}}', {
      headers: { 'content-type': '' },
    });
    expect(answer.status).toBe(201);
  });

  test('parameters of the type do not matter', async () => {
    expect((await post('{"metadata":{"name":"a"}}', 'application/json; charset=utf-8')).status).toBe(201);
  });

  test('apiVersion and kind may be left out', async () => {
    expect((await post('{"metadata":{"name":"a"}}')).body).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
    });
  });

  test('bytes and text are the same', async () => {
    expect((await post(Buffer.from('{"metadata":{"name":"a"},"data":{"k":"ü"}}'))).body.data).toEqual({
      k: 'ü',
    });
  });

  test('protobuf is read', async () => {
    // The envelope `k8s\0`, its type (v1 ConfigMap), and metadata with the name "a".
    const type = Buffer.from('\x0a\x0f\x0a\x02v1\x12\x09ConfigMap', 'latin1');
    const raw = Buffer.from('\x12\x05\x0a\x03\x0a\x01a', 'latin1');
    const body = Buffer.concat([Buffer.from('k8s\0', 'latin1'), type, raw]);
    const answer = await post(body, 'application/vnd.kubernetes.protobuf');
    expect(answer.status).toBe(201);
    expect(answer.body.metadata.name).toBe('a');
  });

  test('others are refused', async () => {
    expect((await post('{}', 'text/plain')).body).toMatchObject({
      code: 415,
      reason: 'UnsupportedMediaType',
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    });
  });
});
