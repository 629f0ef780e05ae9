import { describe, expect, test } from 'vitest';
import { negotiate } from './negotiation.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

describe('what a client gets', () => {
  test.each([
    [undefined, { format: 'json', view: 'Object' }],
    ['', { format: 'json', view: 'Object' }],
    ['*/*', { format: 'json' }],
    ['application/json', { format: 'json' }],
    ['application/yaml', { format: 'yaml' }],
    [TABLE, { view: 'Table', viewVersion: 'meta.k8s.io/v1' }],
    [
      'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
      { view: 'Table', viewVersion: 'meta.k8s.io/v1beta1' },
    ],
    [`application/json;as=Table;v=v2;g=meta.k8s.io,${TABLE},application/json`, { view: 'Table' }],
    ['application/json;as=Foo;v=v1;g=meta.k8s.io,application/json', { view: 'Object' }],
    ['application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', { view: 'PartialObjectMetadata' }],
    ['application/yaml;q=0.5,application/json', { format: 'json' }],
    ['foo/bar, */*;q=0.1', { format: 'json' }],
  ])('%s', (accept, expected) => {
    expect(negotiate(accept)).toMatchObject(expected);
  });
});

describe('a client that asks for protobuf gets', () => {
  const METADATA = `${PROTOBUF};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`;

  test.each([
    ['protobuf', PROTOBUF, true, { format: 'protobuf', view: 'Object' }],
    ['protobuf, also of a watch', `${PROTOBUF};stream=watch,application/json`, true, { format: 'protobuf' }],
    ['what it prefers', `${PROTOBUF};q=0.5,application/json`, true, { format: 'json' }],
    ['JSON of a custom resource', `${PROTOBUF},application/json`, false, { format: 'json' }],
    ['metadata of a custom resource', METADATA, false, { format: 'protobuf', view: 'PartialObjectMetadata' }],
    ['a table in JSON', `${TABLE.replace('application/json', PROTOBUF)},${TABLE}`, true, { format: 'json' }],
  ])('%s', (_, accept, protobuf, expected) => {
    expect(negotiate(accept, { protobuf })).toMatchObject(expected);
  });
});

/** The expected messages are those of kube-apiserver 1.36. */
describe('unacceptable requests', () => {
  test('a form that is not served at all', () => {
    const served = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
    expect(() => negotiate('text/plain')).toThrow(
      `406: Not Acceptable\n\nAvailable representations: ${served}`,
    );
    expect(() => negotiate('text/plain', { collection: true })).toThrow(
      `${served}, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch`,
    );
  });

  test('a view that does not exist', () => {
    const words = 'only the following media types are accepted: application/json, application/yaml';
    expect(() => negotiate('application/json;as=Foo;v=v1;g=meta.k8s.io')).toThrow(words);
    expect(() => negotiate('application/json;as=Table;v=v1;g=other')).toThrow(words);
  });

  test('a custom resource as protobuf and nothing else', () => {
    expect(() => negotiate(PROTOBUF, { protobuf: false })).toThrow(
      'only the following media types are accepted',
    );
  });

  test('a watch as YAML', () => {
    expect(() => negotiate('application/yaml', { stream: true })).toThrow(
      'only the following media types are accepted: application/json;stream=watch',
    );
  });

  test('it is a 406', () => {
    expect(() => negotiate('text/plain')).toThrow(
      expect.objectContaining({ body: expect.objectContaining({ code: 406, reason: 'NotAcceptable' }) }),
    );
  });
});
