import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Attributes, type PolicyRule, ruleAllows, rulesBeyond } from './rules.ts';

const wanted = (attributes: Partial<Attributes>): Attributes => ({
  verb: 'get',
  isResource: true,
  path: '',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'x',
  name: '',
  ...attributes,
});

const pods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };

describe('what a rule allows', () => {
  test.each<[PolicyRule, Partial<Attributes>, boolean]>([
    [pods, {}, true],
    [pods, { verb: 'delete' }, false],
    [pods, { resource: 'secrets' }, false],
    [pods, { group: 'apps' }, false],
    [pods, { subresource: 'log' }, false],
    [{ ...pods, verbs: ['*'] }, { verb: 'anything' }, true],
    [{ ...pods, apiGroups: ['*'] }, { group: 'apps' }, true],
    [{ ...pods, resources: ['*'] }, { resource: 'secrets' }, true],
    [{ ...pods, resources: ['*'] }, { subresource: 'log' }, true],
    [{ ...pods, resources: ['pods/log'] }, { subresource: 'log' }, true],
    [{ ...pods, resources: ['pods/log'] }, {}, false],
    [{ ...pods, resources: ['*/log'] }, { resource: 'x', subresource: 'log' }, true],
    [{ ...pods, resources: ['*/log'] }, {}, false],
    [{ ...pods, resourceNames: ['a'] }, { name: 'a' }, true],
    [{ ...pods, resourceNames: ['a'] }, { name: 'b' }, false],
    [{ ...pods, resourceNames: ['a'] }, { name: '' }, false],
    [{ verbs: ['get'], resources: ['pods'] }, {}, false],
    [{ verbs: ['get'], nonResourceURLs: ['*'] }, {}, false],
  ])('%j %j → %s', (rule, attributes, expected) => {
    expect(ruleAllows(rule, wanted(attributes))).toBe(expected);
  });

  test.each([
    ['/healthz', '/healthz', true],
    ['/healthz', '/healthz/ping', false],
    ['/healthz/*', '/healthz/ping', true],
    ['*', '/anything', true],
    ['/api/*', '/apis', false],
  ])('the path %s covers %s: %s', (url, path, expected) => {
    const rule = { verbs: ['get'], nonResourceURLs: [url] };
    expect(ruleAllows(rule, wanted({ isResource: false, path }))).toBe(expected);
    expect(ruleAllows(pods, wanted({ isResource: false, path }))).toBe(false);
  });
});

describe('permissions beyond the held ones', () => {
  test('is told verb by verb and resource by resource', () => {
    const asked: PolicyRule = { verbs: ['get', 'delete'], apiGroups: [''], resources: ['pods', 'secrets'] };
    expect(rulesBeyond([pods], [asked])).toEqual([
      { verbs: ['delete'], apiGroups: [''], resources: ['pods'] },
      { verbs: ['get'], apiGroups: [''], resources: ['secrets'] },
      { verbs: ['delete'], apiGroups: [''], resources: ['secrets'] },
    ]);
  });

  test.each<[PolicyRule, PolicyRule, boolean]>([
    [pods, pods, true],
    [{ ...pods, resourceNames: ['a'] }, pods, false],
    [pods, { ...pods, resourceNames: ['a'] }, true],
    [{ ...pods, resourceNames: ['a'] }, { ...pods, resourceNames: ['a'] }, true],
    [{ ...pods, resourceNames: ['a'] }, { ...pods, resourceNames: ['a', 'b'] }, false],
    [pods, { ...pods, verbs: ['*'] }, false],
    [pods, { ...pods, resources: ['*'] }, false],
    [{ ...pods, resources: ['*'] }, { ...pods, resources: ['*'] }, true],
    [{ ...pods, resources: ['*'] }, { ...pods, resources: ['pods/log'] }, true],
    [{ ...pods, resources: ['*/log'] }, { ...pods, resources: ['pods/log'] }, true],
    [pods, { ...pods, resources: ['pods/log'] }, false],
    [{ verbs: ['get'], nonResourceURLs: ['/a/*'] }, { verbs: ['get'], nonResourceURLs: ['/a/b'] }, true],
    [{ verbs: ['get'], nonResourceURLs: ['/a'] }, { verbs: ['get'], nonResourceURLs: ['/a/*'] }, false],
    [pods, { verbs: ['get'], nonResourceURLs: ['/a'] }, false],
  ])('%j covers %j: %s', (held, asked, expected) => {
    expect(rulesBeyond([held], [asked]).length === 0).toBe(expected);
  });
});

test('held permissions cover themselves', () => {
  const some = <T>(...values: T[]) =>
    fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });
  const rule: fc.Arbitrary<PolicyRule> = fc.record(
    {
      verbs: some('get', 'list', '*'),
      apiGroups: some('', 'apps', '*'),
      resources: some('pods', 'pods/log', '*', '*/log'),
      resourceNames: some('a', 'b'),
    },
    { requiredKeys: ['verbs', 'apiGroups', 'resources'] },
  );
  const attributes = fc.record({
    verb: fc.constantFrom('get', 'list', 'delete'),
    group: fc.constantFrom('', 'apps', 'batch'),
    resource: fc.constantFrom('pods', 'secrets'),
    subresource: fc.constantFrom('', 'log', 'exec'),
    name: fc.constantFrom('', 'a', 'b', 'c'),
  });
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 3 }), rule, attributes, (held, asked, request) => {
      if (rulesBeyond(held, [asked]).length > 0) return;
      if (ruleAllows(asked, wanted(request))) {
        expect(held.some((owner) => ruleAllows(owner, wanted(request)))).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
