import { beforeEach, describe, expect, test } from 'vitest';
import { MERGE_PATCH, type TestCluster, testCluster } from '../api/cluster.test.helper.ts';

const NS = '/api/v1/namespaces/default';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const LOCAL = `${RBAC}/namespaces/default`;
const GROUP = 'rbac.authorization.k8s.io';
const bob = { token: 'bob' };
let t: TestCluster;

beforeEach(async () => {
  t = await testCluster();
  t.cluster.addToken('bob', { name: 'bob', groups: ['devs'] });
});

const role = (name: string, rules: object[]) =>
  t.send('POST', `${LOCAL}/roles`, { metadata: { name }, rules });
const bind = (name: string, subject: object, roleName: string, kind = 'Role') =>
  t.send('POST', `${LOCAL}/rolebindings`, {
    metadata: { name },
    subjects: [subject],
    roleRef: { kind, name: roleName, apiGroup: GROUP },
  });
const user = (name: string) => ({ kind: 'User', name, apiGroup: GROUP });
const message = async (method: string, path: string, options: object = bob) =>
  (await t.send(method, path, method === 'GET' ? undefined : '{}', options)).body.message;

describe('authentication', () => {
  test.each([
    [{ authorization: 'Bearer wrong' }],
    [{ authorization: 'Basic abc' }],
    [{ authorization: '' }],
    [{ authorization: 'bearer' }],
  ])('%j is not authenticated', async (headers) => {
    expect((await t.send('GET', '/api', undefined, { headers })).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    });
  });

  test('a static token counts until it is revoked', async () => {
    expect((await t.send('GET', '/api', undefined, bob)).status).toBe(200);
    t.cluster.revokeToken('bob');
    expect((await t.send('GET', '/api', undefined, bob)).status).toBe(401);
  });

  test('with anonymous access a request without credentials is system:anonymous', async () => {
    t = await testCluster({ anonymous: true });
    const nobody = { headers: { authorization: '' } };
    expect((await t.send('GET', '/healthz', undefined, nobody)).status).toBe(200);
    expect((await t.send('GET', '/api', undefined, nobody)).body.message).toBe(
      'forbidden: User "system:anonymous" cannot get path "/api"',
    );
    const wrong = { headers: { authorization: 'Bearer wrong' } };
    expect((await t.send('GET', '/api', undefined, wrong)).status).toBe(401);
  });
});

/** The expected messages are those of kube-apiserver 1.36. */
describe('what is forbidden, and how that is said', () => {
  const cannot = (verb: string, resource: string, group = '', where = 'in the namespace "default"') =>
    `User "bob" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;

  test.each([
    ['GET', `${NS}/secrets`, `secrets is forbidden: ${cannot('list', 'secrets')}`],
    ['GET', `${NS}/secrets/x`, `secrets "x" is forbidden: ${cannot('get', 'secrets')}`],
    ['GET', `${NS}/secrets?watch=1`, `secrets is forbidden: ${cannot('watch', 'secrets')}`],
    ['POST', `${NS}/secrets`, `secrets is forbidden: ${cannot('create', 'secrets')}`],
    ['DELETE', `${NS}/secrets`, `secrets is forbidden: ${cannot('deletecollection', 'secrets')}`],
    ['GET', `${NS}/pods/x/log`, `pods "x" is forbidden: ${cannot('get', 'pods/log')}`],
    ['GET', '/api/v1/nodes', `nodes is forbidden: ${cannot('list', 'nodes', '', 'at the cluster scope')}`],
    [
      'GET',
      '/apis/apps/v1/deployments',
      `deployments.apps is forbidden: ${cannot('list', 'deployments', 'apps', 'at the cluster scope')}`,
    ],
    ['GET', NS, `namespaces "default" is forbidden: ${cannot('get', 'namespaces')}`],
    ['GET', '/metrics', 'forbidden: User "bob" cannot get path "/metrics"'],
    ['GET', '/api/v1/foos', `foos is forbidden: ${cannot('list', 'foos', '', 'at the cluster scope')}`],
  ])('%s %s', async (method, path, expected) => {
    const { status, body } = await t.send(method, path, method === 'GET' ? undefined : '{}', bob);
    expect(status).toBe(403);
    expect(body).toMatchObject({ reason: 'Forbidden', message: expected });
  });

  test('a binding to a role that does not exist is named', async () => {
    await bind('lost', { kind: 'Group', name: 'devs', apiGroup: GROUP }, 'gone');
    expect(await message('GET', `${NS}/secrets`)).toBe(
      `secrets is forbidden: ${cannot('list', 'secrets')}: RBAC: role.rbac.authorization.k8s.io "gone" not found`,
    );
  });
});

describe('what is allowed', () => {
  const reads = { verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] };

  test.each([
    [user('bob')],
    [{ kind: 'Group', name: 'devs', apiGroup: GROUP }],
    [{ kind: 'Group', name: 'system:authenticated', apiGroup: GROUP }],
  ])('to %j', async (subject) => {
    await role('reader', [reads]);
    await bind('b', subject, 'reader');
    expect((await t.send('GET', `${NS}/configmaps`, undefined, bob)).status).toBe(200);
    expect((await t.send('DELETE', `${NS}/configmaps/x`, undefined, bob)).status).toBe(403);
    expect((await t.send('GET', '/api/v1/namespaces/kube-system/configmaps', undefined, bob)).status).toBe(
      403,
    );
  });

  test('to a service account', async () => {
    await t.send('POST', `${NS}/serviceaccounts`, { metadata: { name: 'sa' } });
    const { body } = await t.send('POST', `${NS}/serviceaccounts/sa/token`, {});
    const token = { token: body.status.token };
    expect((await t.send('GET', `${NS}/configmaps`, undefined, token)).status).toBe(403);
    await role('reader', [reads]);
    await bind('b', { kind: 'ServiceAccount', name: 'sa', namespace: 'default' }, 'reader');
    expect((await t.send('GET', `${NS}/configmaps`, undefined, token)).status).toBe(200);
  });

  test('no longer, from the moment the binding is deleted', async () => {
    await role('reader', [reads]);
    await bind('b', user('bob'), 'reader');
    await t.send('DELETE', `${LOCAL}/rolebindings/b`);
    expect((await t.send('GET', `${NS}/configmaps`, undefined, bob)).status).toBe(403);
  });

  test('by name, also in lists that select the name', async () => {
    await role('one', [
      { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['secrets'], resourceNames: ['s'] },
    ]);
    await bind('b', user('bob'), 'one');
    await t.send('POST', `${NS}/secrets`, { metadata: { name: 's' } });
    expect((await t.send('GET', `${NS}/secrets/s`, undefined, bob)).status).toBe(200);
    expect((await t.send('GET', `${NS}/secrets/t`, undefined, bob)).status).toBe(403);
    expect((await t.send('GET', `${NS}/secrets`, undefined, bob)).status).toBe(403);
    expect(
      (await t.send('GET', `${NS}/secrets?fieldSelector=metadata.name%3Ds`, undefined, bob)).status,
    ).toBe(200);
  });

  test('by a cluster role in one namespace, or everywhere', async () => {
    await bind('b', user('bob'), 'view', 'ClusterRole');
    expect((await t.send('GET', `${NS}/configmaps`, undefined, bob)).status).toBe(200);
    expect((await t.send('GET', '/api/v1/configmaps', undefined, bob)).status).toBe(403);
    await t.send('POST', `${RBAC}/clusterrolebindings`, {
      metadata: { name: 'b' },
      subjects: [user('bob')],
      roleRef: { kind: 'ClusterRole', name: 'view', apiGroup: GROUP },
    });
    expect((await t.send('GET', '/api/v1/configmaps', undefined, bob)).status).toBe(200);
  });

  test('apply that creates needs the right to create', async () => {
    await role('patcher', [{ verbs: ['patch', 'get'], apiGroups: [''], resources: ['configmaps'] }]);
    await bind('b', user('bob'), 'patcher');
    const options = { ...bob, headers: { 'content-type': 'application/apply-patch+yaml' } };
    const path = `${NS}/configmaps/new?fieldManager=m`;
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}';
    expect((await t.send('PATCH', path, body, options)).body.message).toContain(
      'cannot create resource "configmaps"',
    );
  });
});

describe('default roles', () => {
  const rules = async (name: string) => (await t.send('GET', `${RBAC}/clusterroles/${name}`)).body.rules;
  const allows = async (name: string, verb: string, resource: string, group = '') =>
    (await rules(name)).some(
      (rule: { verbs: string[]; resources?: string[]; apiGroups?: string[] }) =>
        rule.verbs.includes(verb) && rule.resources?.includes(resource) && rule.apiGroups?.includes(group),
    );

  test('view reads everything but secrets; edit writes; admin grants', async () => {
    expect(await allows('view', 'list', 'deployments', 'apps')).toBe(true);
    expect(await allows('view', 'get', 'secrets')).toBe(false);
    expect(await allows('view', 'create', 'configmaps')).toBe(false);
    expect(await allows('edit', 'get', 'secrets')).toBe(true);
    expect(await allows('edit', 'patch', 'deployments', 'apps')).toBe(true);
    expect(await allows('edit', 'list', 'configmaps')).toBe(true);
    expect(await allows('edit', 'create', 'roles', GROUP)).toBe(false);
    expect(await allows('admin', 'create', 'roles', GROUP)).toBe(true);
    expect(await allows('admin', 'patch', 'deployments', 'apps')).toBe(true);
  });

  test('a role with the label of another is added to it, and taken out again', async () => {
    await t.send('POST', `${RBAC}/clusterroles`, {
      metadata: { name: 'widgets-view', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
      rules: [{ verbs: ['get'], apiGroups: ['example.com'], resources: ['widgets'] }],
    });
    for (const name of ['view', 'edit', 'admin'])
      expect(await allows(name, 'get', 'widgets', 'example.com')).toBe(true);
    await t.send('DELETE', `${RBAC}/clusterroles/widgets-view`);
    for (const name of ['view', 'edit', 'admin'])
      expect(await allows(name, 'get', 'widgets', 'example.com')).toBe(false);
  });
});

describe('privilege escalation is refused', () => {
  beforeEach(async () => {
    await role('granter', [
      { verbs: ['create', 'patch', 'get'], apiGroups: [GROUP], resources: ['roles', 'rolebindings'] },
      { verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] },
    ]);
    await bind('granter', user('bob'), 'granter');
  });

  const create = (name: string, rules: object[]) =>
    t.send('POST', `${LOCAL}/roles`, { metadata: { name }, rules }, bob);

  test('held permissions may be granted', async () => {
    expect(
      (await create('ok', [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }])).status,
    ).toBe(201);
  });

  test('more is refused, line by line', async () => {
    const { body } = await create('more', [
      { verbs: ['get', 'list', 'delete'], apiGroups: [''], resources: ['configmaps', 'pods'] },
    ]);
    expect(body).toMatchObject({
      code: 403,
      message:
        'roles.rbac.authorization.k8s.io "more" is forbidden: user "bob" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["configmaps"], Verbs:["delete"]}\n' +
        '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list" "delete"]}',
    });
  });

  test('a change of other parts is no grant', async () => {
    const labels = { metadata: { labels: { a: 'b' } } };
    const options = { ...bob, ...MERGE_PATCH };
    expect((await t.send('PATCH', `${LOCAL}/roles/granter`, labels, options)).status).toBe(200);
    const rules = { rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] };
    expect((await t.send('PATCH', `${LOCAL}/roles/granter`, rules, options)).status).toBe(403);
  });

  test('a binding grants what its role holds', async () => {
    const binding = (name: string, roleName: string, kind: string) =>
      t.send(
        'POST',
        `${LOCAL}/rolebindings`,
        { metadata: { name }, subjects: [user('al')], roleRef: { kind, name: roleName, apiGroup: GROUP } },
        bob,
      );
    expect((await binding('a', 'granter', 'Role')).status).toBe(201);
    expect((await binding('b', 'cluster-admin', 'ClusterRole')).status).toBe(403);
    expect((await binding('c', 'nope', 'Role')).body).toMatchObject({
      code: 404,
      message: 'rolebindings.rbac.authorization.k8s.io "nope" not found',
    });
  });

  test('unless they may escalate or bind', async () => {
    await role('trusted', [
      { verbs: ['escalate', 'bind'], apiGroups: [GROUP], resources: ['roles', 'clusterroles'] },
    ]);
    await bind('trusted', user('bob'), 'trusted');
    expect((await create('all', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }])).status).toBe(201);
    const answer = await t.send(
      'POST',
      `${LOCAL}/rolebindings`,
      {
        metadata: { name: 'x' },
        subjects: [user('al')],
        roleRef: { kind: 'ClusterRole', name: 'cluster-admin', apiGroup: GROUP },
      },
      bob,
    );
    expect(answer.status).toBe(201);
  });
});

describe('impersonation', () => {
  const as = (headers: Record<string, string>, options: object = {}) =>
    t.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { ...options, headers });

  test('is possible with the permission', async () => {
    const { body } = await as({
      'impersonate-user': 'al',
      'impersonate-group': 'g, h',
      'impersonate-uid': 'u1',
      'impersonate-extra-scopes%2Fx': 'one',
    });
    expect(body.status.userInfo).toEqual({
      username: 'al',
      uid: 'u1',
      groups: ['g', 'h', 'system:authenticated'],
      extra: { 'scopes/x': ['one'] },
    });
    expect(
      (await t.send('GET', `${NS}/secrets`, undefined, { headers: { 'impersonate-user': 'al' } })).status,
    ).toBe(403);
  });

  test('a service account brings its groups', async () => {
    const { body } = await as({ 'impersonate-user': 'system:serviceaccount:x:y' });
    expect(body.status.userInfo.groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:x',
      'system:authenticated',
    ]);
  });

  test('an unauthenticated request cannot impersonate', async () => {
    const { body } = await t.send('GET', '/api', undefined, {
      headers: { 'impersonate-user': 'system:anonymous' },
    });
    expect(body.message).toContain('User "system:anonymous"');
  });

  test('is refused without the permission', async () => {
    const path = `${NS}/configmaps`;
    const refused = async (name: string) =>
      (await t.send('GET', path, undefined, { ...bob, headers: { 'impersonate-user': name } })).body.message;
    expect(await refused('al')).toContain(
      'configmaps is forbidden: User "bob" cannot impersonate-on:user-info:list resource "configmaps"',
    );
    expect(await refused('system:serviceaccount:x:y')).toContain('impersonate-on:serviceaccount:list');
  });

  test('the old right covers everything, the new one single verbs', async () => {
    t.cluster.addToken('eve', { name: 'eve', groups: [] });
    const grant = (name: string, rules: object[], who: string) =>
      Promise.all([
        t.send('POST', `${RBAC}/clusterroles`, { metadata: { name }, rules }),
        t.send('POST', `${RBAC}/clusterrolebindings`, {
          metadata: { name },
          subjects: [user(who)],
          roleRef: { kind: 'ClusterRole', name, apiGroup: GROUP },
        }),
      ]);
    await grant('old', [{ verbs: ['impersonate'], apiGroups: [''], resources: ['users'] }], 'bob');
    await grant(
      'new',
      [
        { verbs: ['impersonate:user-info'], apiGroups: ['authentication.k8s.io'], resources: ['users'] },
        { verbs: ['impersonate-on:user-info:list'], apiGroups: [''], resources: ['configmaps'] },
      ],
      'eve',
    );
    await bind('al', user('al'), 'view', 'ClusterRole');
    const headers = { 'impersonate-user': 'al' };
    const status = async (path: string, token: string) =>
      (await t.send('GET', path, undefined, { token, headers })).status;
    expect(await status(`${NS}/configmaps`, 'bob')).toBe(200);
    expect(await status(`${NS}/pods`, 'bob')).toBe(200);
    expect(await status(`${NS}/configmaps`, 'eve')).toBe(200);
    expect(await status(`${NS}/pods`, 'eve')).toBe(403);
  });

  test('a group needs a user', async () => {
    expect((await as({ 'impersonate-group': 'g' })).body).toMatchObject({
      code: 400,
      message:
        'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)} without impersonating a user name',
    });
  });
});
