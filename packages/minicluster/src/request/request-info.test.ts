import { describe, expect, test } from 'vitest';
import { isTrue, readRequestInfo } from './request-info.ts';

const info = (method: string, url: string) => {
  const [path = '', query = ''] = url.split('?');
  return readRequestInfo(method, path, new URLSearchParams(query));
};

describe('requests to resources', () => {
  test.each([
    ['GET', '/api/v1/pods', { verb: 'list', resource: 'pods', namespace: '', version: 'v1', group: '' }],
    ['GET', '/api/v1/namespaces/x/pods', { verb: 'list', resource: 'pods', namespace: 'x' }],
    ['GET', '/api/v1/namespaces/x/pods/y', { verb: 'get', resource: 'pods', namespace: 'x', name: 'y' }],
    ['POST', '/api/v1/namespaces/x/pods', { verb: 'create', resource: 'pods' }],
    ['PUT', '/api/v1/namespaces/x/pods/y', { verb: 'update', name: 'y' }],
    ['PATCH', '/api/v1/namespaces/x/pods/y', { verb: 'patch' }],
    ['DELETE', '/api/v1/namespaces/x/pods/y', { verb: 'delete' }],
    ['DELETE', '/api/v1/namespaces/x/pods', { verb: 'deletecollection' }],
    ['HEAD', '/api/v1/namespaces/x/pods/y', { verb: 'get' }],
    ['GET', '/api/v1/pods?watch=1', { verb: 'watch' }],
    ['GET', '/api/v1/pods?watch=true', { verb: 'watch' }],
    ['GET', '/api/v1/pods?watch=false', { verb: 'list' }],
    ['GET', '/api/v1/namespaces/x/pods/y?watch=1', { verb: 'get' }],
    ['GET', '/api/v1/watch/namespaces/x/pods', { verb: 'watch', namespace: 'x', resource: 'pods' }],
    ['GET', '/api/v1/namespaces', { verb: 'list', resource: 'namespaces', namespace: '', name: '' }],
    ['GET', '/api/v1/namespaces/x', { verb: 'get', resource: 'namespaces', namespace: 'x', name: 'x' }],
    [
      'PUT',
      '/api/v1/namespaces/x/finalize',
      { verb: 'update', resource: 'namespaces', namespace: 'x', name: 'x', subresource: 'finalize' },
    ],
    ['GET', '/api/v1/namespaces/x/status', { resource: 'namespaces', name: 'x', subresource: 'status' }],
    [
      'GET',
      '/apis/apps/v1/namespaces/x/deployments/y/scale',
      { verb: 'get', group: 'apps', version: 'v1', resource: 'deployments', name: 'y', subresource: 'scale' },
    ],
    ['GET', '/api/v1/namespaces/x/pods/y/proxy/a/b', { subresource: 'proxy', rest: ['a', 'b'] }],
    ['FOO', '/api/v1/namespaces/x/pods/y', { verb: '' }],
  ])('%s %s', (method, url, expected) => {
    expect(info(method, url)).toMatchObject({ isResource: true, ...expected });
  });
});

describe('requests that name no resource', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/version'],
    ['GET', '/api'],
    ['GET', '/api/v1'],
    ['GET', '/apis'],
    ['GET', '/apis/apps'],
    ['GET', '/apis/apps/v1'],
    ['POST', '/openapi/v2'],
    ['GET', '/api/v1/watch'],
  ])('%s %s', (method, url) => {
    expect(info(method, url)).toMatchObject({ isResource: false, verb: method.toLowerCase(), path: url });
  });
});

test('a list of one object by its name counts as that object', () => {
  expect(info('GET', '/api/v1/namespaces/x/secrets?fieldSelector=metadata.name%3Dy').name).toBe('y');
  expect(info('GET', '/api/v1/secrets?watch=1&fieldSelector=metadata.name%3Dy').name).toBe('y');
  expect(info('GET', '/api/v1/secrets?fieldSelector=metadata.name%21%3Dy').name).toBe('');
  expect(info('GET', '/api/v1/secrets?fieldSelector=broken').name).toBe('');
});

test.each([
  [null, false],
  ['', true],
  ['1', true],
  ['true', true],
  ['yes', true],
  ['0', false],
  ['false', false],
  ['FALSE', false],
])('a flag of the query: %s → %s', (value, expected) => {
  expect(isTrue(value)).toBe(expected);
});
