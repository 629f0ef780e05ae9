import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubernetesObject, kinds } from '@reloader/runtime';
import { expect, onTestFinished, test } from 'vitest';
import type {
  Explanation,
  HistoryLine,
  StatusAnswer,
  WhatIf,
} from '../../packages/operator/src/api/shapes.ts';
import type { AuditEntry } from '../../packages/operator/src/audit/audit-log.ts';
import { type Ran, run } from '../../packages/operator/src/cli/command-io.test.support.ts';
import { play, secret, VALUE } from './play.ts';
import type { Stage } from './stage.ts';

const P = 'reloader.stakater.com';
const web = { namespace: 'shop', name: 'web' };

const json = <T>({ out }: Ran): T & { answeredBy: string; limits: string[] } => JSON.parse(out);

test('explain asks the operator through the proxy of the API server', async () => {
  const { command } = await play();
  const { code, out } = await command('explain', 'deployment/web');
  expect(code).toBe(0);
  expect(out).toContain('Deployment shop/web: Watches 1 source; nothing differs');
  expect(out).toContain(
    `= Secret shop/credentials\n      ${P}/auto on the workload asks for all that the pods use`,
  );
  const answer = json<Explanation>(await command('explain', 'deploy', 'web', '-o', 'json'));
  expect(answer).toMatchObject({
    answeredBy: 'Service reloader/reloader',
    limits: [],
    ledger: 'recorded',
    reloads: 0,
  });
  expect(answer.sources).toMatchObject([
    { kind: 'Secret', rule: 'auto', from: 'workload', comparison: 'unchanged' },
  ]);
});

test('explain tells what is not watched, and what to do about it', async () => {
  const { command } = await play();
  const { out } = await command('explain', 'deployment/quiet');
  expect(out).toContain('Not watched: nothing asks for a reload');
  expect(out).toContain(`set ${P}/auto: "true" or secret.${P}/reload: "credentials" on the workload`);
});

test('pending reloads show until when and why, and the history shows past reloads', async () => {
  const { command, change, stage } = await play([], { auto: 'true', 'batch-window': '1m' });
  await change('another');
  await stage.clock.advance(5_000);
  const pending = json<Explanation>(await command('explain', 'deployment/web', '-o', 'json'));
  expect(pending.outlook).toMatchObject({
    action: 'reload',
    causes: [{ kind: 'Secret', name: 'credentials' }],
  });
  expect(pending.outlook.waits[0]?.why).toBe('batching');
  expect((await command('status')).out).toContain('Deployment shop/web: batching until');
  await stage.clock.advance(70_000);
  const { reloads } = json<{ reloads: HistoryLine[] }>(await command('history', '-o', 'json'));
  expect(reloads).toMatchObject([
    {
      workload: { ...web, kind: 'Deployment' },
      seq: 1,
      result: 'succeeded',
      sources: [{ kind: 'Secret', namespace: 'shop', name: 'credentials' }],
    },
  ]);
  expect(reloads[0]?.at).toBe(pending.outlook.at?.replace(/\.\d+Z$/, '.000Z'));
  expect((await command('history', 'deployment/quiet')).out).toBe(
    'No reloads are on record for Deployment shop/quiet\n',
  );
});

test('without the operator, explain and what-if are computed here, agree with it, and say so', async () => {
  const { command, stage } = await play();
  const asked = json<Explanation>(await command('explain', 'deployment/web', '-o', 'json'));
  const foretold = json<WhatIf>(await command('what-if', 'secret/credentials', '-o', 'json'));
  await stage.stopOperator();
  const alone = json<Explanation>(await command('explain', 'deployment/web', '-o', 'json'));
  expect(alone.answeredBy).toBe('this command');
  expect(alone.limits.join('\n')).toContain('The operator was not asked: this is computed here');
  expect(alone.limits.join('\n')).toContain('Why it was not asked: Service reloader/reloader');
  expect({ ...alone, answeredBy: '', limits: [] }).toEqual({ ...asked, answeredBy: '', limits: [] });
  const { reloads } = json<WhatIf>(await command('what-if', 'secret/credentials', '-o', 'json'));
  const withoutTimes = (list: WhatIf['reloads']) =>
    list.map(({ workload: ref, rule, how, order }) => ({ ref, rule, how, order }));
  expect(withoutTimes(reloads)).toEqual(withoutTimes(foretold.reloads));
  expect(reloads).toHaveLength(1);
});

test('without the operator and without the right to read Secrets, what-if still knows who would restart', async () => {
  const { commandAs, stage } = await play();
  await stage.stopOperator();
  await permit(stage, 'dora', [
    { apiGroups: ['apps', 'batch'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
    {
      apiGroups: [''],
      resources: ['configmaps', 'namespaces', 'pods', 'services'],
      verbs: ['get', 'list', 'watch'],
    },
    { apiGroups: [P], resources: ['reloaderconfigs'], verbs: ['get', 'list', 'watch'] },
  ]);
  const dora = stage.as('dora');
  const answer = json<WhatIf>(await commandAs(dora, 'what-if', 'secret/credentials', '-o', 'json'));
  expect(answer.reloads.map(({ workload: { name } }) => name)).toEqual(['web']);
  expect(answer.limits.join('\n')).toContain('Secrets, which you may not list here');
  const explained = json<Explanation>(await commandAs(dora, 'explain', 'deployment/web', '-o', 'json'));
  expect(explained.sources).toMatchObject([{ comparison: 'unknown', exists: 'unknown' }]);
});

test('without the digest key, changes of Secrets cannot be told, and that is said', async () => {
  const { commandAs, change, stage } = await play();
  await stage.stopOperator();
  await change('changed while nobody looked');
  await permit(stage, 'emil', [
    { apiGroups: ['*'], resources: ['*'], verbs: ['list', 'watch'] },
    { apiGroups: ['apps', ''], resources: ['deployments', 'services', 'namespaces'], verbs: ['get'] },
  ]);
  const answer = json<Explanation>(
    await commandAs(stage.as('emil'), 'explain', 'deployment/web', '-o', 'json'),
  );
  expect(answer.sources).toMatchObject([{ comparison: 'unknown' }]);
  expect(answer.limits.join('\n')).toContain(
    'whether Secrets changed, because the digest key (Secret reloader/reloader-digest-key) is not yours',
  );
});

test('without the right to read the notebook, explain says that the record is not readable, never that it would adopt', async () => {
  const { commandAs, stage } = await play();
  await stage.stopOperator();
  await permit(stage, 'fred', [
    { apiGroups: ['apps', 'batch'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
    {
      apiGroups: [''],
      resources: ['secrets', 'namespaces', 'pods', 'services'],
      verbs: ['get', 'list', 'watch'],
    },
    { apiGroups: [P], resources: ['reloaderconfigs'], verbs: ['get', 'list', 'watch'] },
  ]);
  const { out } = await commandAs(stage.as('fred'), 'explain', 'deployment/web');
  expect(out).toContain('its record is not readable for you');
  expect(out).not.toMatch(/adopt/i);
});

test.each([['secrets'], ['']])(
  'without the right to read the notebook (and %s), what-if still names who would restart, and approve claims nothing',
  async (readable) => {
    const { commandAs, stage } = await play();
    await stage.stopOperator();
    await permit(stage, 'gina', [
      { apiGroups: ['apps', 'batch'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
      {
        apiGroups: [''],
        resources: ['namespaces', 'pods', 'services', ...(readable === '' ? [] : [readable])],
        verbs: ['get', 'list', 'watch'],
      },
      { apiGroups: [P], resources: ['reloaderconfigs'], verbs: ['get', 'list', 'watch'] },
    ]);
    const gina = stage.as('gina');
    const answer = json<WhatIf>(await commandAs(gina, 'what-if', 'secret/credentials', '-o', 'json'));
    expect(answer.reloads.map(({ workload: { name } }) => name)).toEqual(['web']);
    expect(answer.limits.join('\n')).toContain('what was recorded, because the notebook');
    const approved = await commandAs(gina, 'approve', 'deployment/web', '--yes');
    expect(approved).toMatchObject({ code: 1, out: '' });
    expect(approved.err).toContain('its record is not readable for you');
  },
);

test('migrate leaves out kinds of others that the user may not list, but none of Kubernetes', async () => {
  const { commandAs, stage } = await play();
  const reading = { verbs: ['get', 'list', 'watch'], resources: ['*'] };
  await permit(stage, 'hugo', [{ ...reading, apiGroups: ['apps', 'batch'] }]);
  const { code, out, err } = await commandAs(stage.as('hugo'), 'migrate');
  expect([code, out]).toEqual([0, expect.stringContaining('name: deployment-web')]);
  for (const kind of ['Rollouts', 'DeploymentConfigs'])
    expect(err).toContain(`${kind} are left out: you may not list them`);
  await permit(stage, 'ida', [{ ...reading, apiGroups: ['apps'] }]);
  expect(await commandAs(stage.as('ida'), 'migrate')).toMatchObject({ code: 1, out: '' });
});

test('freeze holds a reload back, unfreeze lets it go: workload, namespace, cluster', async () => {
  const { command, change, stage } = await play();
  const seq = async (): Promise<number> =>
    json<Explanation>(await command('explain', 'deployment/web', '-o', 'json')).reloads;
  let expected = 0;
  for (const scope of [['deployment/web'], [], ['--cluster']]) {
    expect((await command('freeze', ...scope)).out).toContain('is frozen: changes wait');
    expect((await command('freeze', ...scope)).out).toContain('is frozen already');
    await stage.clock.advance(2_000);
    await change(`frozen by ${scope.join('') || 'namespace'}`);
    const headline = 'Holds back a reload for a change: Frozen by annotation';
    // It also settles, but that is not the reason shown.
    await stage.clock.advance(100);
    expect((await command('explain', 'deployment/web')).out).toContain(headline);
    await stage.clock.advance(15_000);
    expect(await seq()).toBe(expected);
    expect((await command('explain', 'deployment/web')).out).toContain(headline);
    expect((await command('unfreeze', ...scope)).out).toContain('no longer frozen');
    await stage.clock.advance(15_000);
    expected += 1;
    expect(await seq()).toBe(expected);
  }
  expect((await command('unfreeze')).out).toContain('is not frozen');
});

test('a window that is no list of windows is reported as such', async () => {
  const { command, change, stage } = await play([], { auto: 'true', 'sync-windows': 'at night' });
  await change('two');
  await stage.clock.advance(5_000);
  expect((await command('explain', 'deployment/web')).out).toContain(
    'Held until this is put right: annotation reloader.stakater.com/sync-windows of the workload must be a list of windows',
  );
});

test('a freeze ends by itself, and says who and why', async () => {
  const { command, change, stage } = await play();
  const { out } = await command('freeze', '--for', '2h', '--reason', 'release night');
  expect(out).toMatch(
    /^Namespace shop is frozen until 20\d\d-.*Z: changes wait, and are rolled out after that/,
  );
  await stage.clock.advance(2_000);
  await change('another');
  await stage.clock.advance(15_000);
  const explained = (await command('explain', 'deployment/web')).out;
  expect(explained).toMatch(/Frozen by annotation .* on Namespace shop \(release night, by [^)]+\)/);
  await stage.clock.advance(2 * 3_600_000);
  expect(json<Explanation>(await command('explain', 'deployment/web', '-o', 'json')).reloads).toBe(1);
  expect((await command('freeze', '--for', 'soon')).err).toContain('--for soon is no duration');
});

test('approve and now let exactly the change through that waits', async () => {
  const { command, commandAs, change, stage } = await play([], { auto: 'true', approval: 'required' });
  const seq = async (): Promise<number> =>
    json<Explanation>(await command('explain', 'deployment/web', '-o', 'json')).reloads;
  expect((await command('approve', 'deployment/web', '--yes')).out).toContain('no change waits for approval');
  await change('two');
  await stage.clock.advance(5_000);
  const asked = await command('approve', 'deployment/web');
  expect(asked.code).toBe(2);
  const [, id = ''] = /change ([a-z2-9]{10}) waits/.exec(asked.err) ?? [];
  expect(id).not.toBe('');
  expect((await command('status')).out).toContain(id);
  const other = await command('approve', 'deployment/web', '--change', 'aaaaaaaaaa');
  expect(other).toMatchObject({ code: 1, err: expect.stringContaining(`is ${id}, not aaaaaaaaaa`) });
  await stage.clock.advance(5_000);
  expect(await seq()).toBe(0);
  expect((await command('approve', 'deployment/web', '--change', id)).out).toContain(
    `change ${id} is approved`,
  );
  await stage.clock.advance(5_000);
  expect(await seq()).toBe(1);
  await change('three');
  await stage.clock.advance(5_000);
  expect((await command('approve', '--all', '--yes')).out).toContain('is approved');
  await stage.clock.advance(5_000);
  expect(await seq()).toBe(2);
  expect((await command('approve', '--all', '--yes')).out).toContain('Nothing waits for that');
  await change('four');
  await stage.clock.advance(5_000);
  await permit(stage, 'nina', [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }]);
  const refused = await commandAs(stage.as('nina'), 'now', 'deployment/web', '--yes');
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('forbidden') });
  expect((await command('now', 'deployment/web', '--yes')).out).toContain('it is rolled out now');
  await stage.clock.advance(5_000);
  expect(await seq()).toBe(3);
  await command('freeze');
  await stage.clock.advance(2_000);
  await change('five');
  await stage.clock.advance(5_000);
  const frozen = await command('now', 'deployment/web', '--yes');
  expect(frozen).toMatchObject({ code: 1, err: expect.stringContaining('Frozen by annotation') });
});

test('history outlives the operator, and is read from its ConfigMap without it', async () => {
  const { command, change, stage } = await play();
  await change('another');
  await stage.clock.advance(30_000);
  const before = json<{ reloads: HistoryLine[] }>(await command('history', '-A', '-o', 'json')).reloads;
  await stage.stopOperator();
  const alone = json<{ reloads: HistoryLine[] }>(await command('history', '-A', '-o', 'json'));
  expect(alone.reloads).toEqual(before);
  expect(alone.answeredBy).toBe('ConfigMap reloader/reloader-history');
  await stage.startOperator();
  await stage.clock.advance(5_000);
  expect(json<{ reloads: HistoryLine[] }>(await command('history', '-A', '-o', 'json')).reloads).toEqual(
    before,
  );
  expect(before).toHaveLength(1);
});

test('cleanup removes our annotations and restarts nothing', async () => {
  const { command, change, stage } = await play();
  await change('another');
  await stage.clock.advance(30_000);
  await stage.stopOperator();
  const pods = async (): Promise<string[]> =>
    (await stage.client.list(kinds.Pod, { namespace: 'shop' })).items
      .map(({ metadata }) => metadata.uid)
      .sort();
  const before = await pods();
  const dry = (await command('cleanup', '--dry-run')).out;
  expect(dry).toContain('Deployment shop/web: ledger would be taken off');
  expect(dry).toContain('ConfigMap reloader/reloader-notes-shop.0: notes would be deleted');
  const { out, code } = await command('cleanup');
  expect(code).toBe(0);
  expect(out).toContain('Deployment shop/web: ledger taken off');
  expect(out).toContain('marks on pod templates stay');
  expect(out).toContain('ConfigMap reloader/reloader-notes-shop.0: notes deleted');
  const left = (await stage.client.list(kinds.ConfigMap, { namespace: 'reloader' })).items;
  expect(left.filter(({ metadata }) => metadata.name.startsWith('reloader-notes-'))).toEqual([]);
  await stage.clock.advance(60_000);
  expect(await pods()).toEqual(before);
  const { metadata } = await stage.client.get(kinds.Deployment, web);
  expect(Object.keys(metadata.annotations ?? {}).filter((name) => name.includes('ledger'))).toEqual([]);
  expect(metadata.annotations?.[`${P}/auto`]).toBe('true');
  expect((await command('cleanup')).out).toContain('Nothing of ours');
});

test('cleanup says when the operator still runs', async () => {
  const { command } = await play();
  expect((await command('cleanup')).err).toContain('The operator runs (Service reloader/reloader)');
});

test('migrate prints what to apply and what to take away', async () => {
  const { command } = await play();
  const { code, out, err } = await command('migrate');
  expect(code).toBe(0);
  expect(out).toContain('name: deployment-web');
  expect(err).toContain(`kubectl annotate deployment web -n shop ${P}/auto-`);
  expect((await command('migrate', '-n', 'empty')).err).toContain('No annotations were found');
});

test('nothing that is answered, logged or audited holds a value or a digest of a Secret', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reloader-audit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'audit.jsonl');
  const { command, change, stage } = await play(['--audit-log', file]);
  await change(`${VALUE} two`);
  await stage.clock.advance(30_000);
  const answers = [
    await command('explain', 'deployment/web', '-o', 'json'),
    await command('what-if', 'secret/credentials', '-o', 'json'),
    await command('status', '-o', 'json'),
    await command('history', '-o', 'json'),
  ].map(({ out }) => out);
  const ledger = (await stage.client.get(kinds.Deployment, web)).metadata.annotations?.[`${P}/ledger`] ?? '';
  const { s: digests } = JSON.parse(ledger) as { s: Record<string, string> };
  for (const text of answers) {
    expect(text).not.toContain(VALUE);
    for (const digest of Object.values(digests)) expect(text).not.toContain(digest);
  }
  const audit = readFileSync(file, 'utf8');
  expect(audit).not.toContain(VALUE);
  const entries = audit
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEntry);
  expect(entries.every((entry) => entry.audit)).toBe(true);
  const reload = entries.find(({ action }) => action === 'reload');
  expect(reload).toMatchObject({
    outcome: 'done',
    workload: { kind: 'Deployment', ...web },
    seq: 1,
    causes: [{ kind: 'Secret', ...secret, finding: 'changed', rule: 'auto' }],
    strategy: 'env-vars',
  });
  expect(reload?.causes?.[0]).not.toHaveProperty('digest');
  const slots = JSON.stringify((await stage.client.get(kinds.Deployment, web)) as object).match(
    /[0-9a-f]{40}/g,
  );
  const log = JSON.stringify(stage.log.entries);
  for (const digest of [...Object.values(digests), ...(slots ?? [])]) {
    expect(audit).not.toContain(digest);
    expect(log).not.toContain(digest);
  }
  expect(slots).not.toBeNull();
  expect(entries.find(({ action }) => action === 'rollout')).toMatchObject({ outcome: 'succeeded', seq: 1 });
});

test.each([
  [
    ['explain', 'deployment/nope'],
    'Deployment shop/nope does not exist: see "kubectl get deployments -n shop"',
  ],
  [
    ['explain', 'deployment/web', '-n', 'nowhere'],
    'Namespace nowhere does not exist: see "kubectl get namespaces"',
  ],
  [['what-if', 'secret/credentials', '-n', 'nowhere'], 'Namespace nowhere does not exist'],
  [['freeze', '-n', 'nowhere'], 'Namespace nowhere does not exist'],
  [['freeze', 'deployment/nope'], 'Deployment shop/nope does not exist'],
])('%j fails with one line that says what to do next', async (argv, message) => {
  const { command } = await play();
  const { code, out, err } = await command(...argv);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(message);
  expect(err.trimEnd().split('\n')).toHaveLength(1);
});

test('without permission, one line names the right that is missing', async () => {
  const { commandAs, stage } = await play();
  const nobody = stage.as('nobody');
  for (const argv of [
    ['explain', 'deployment/web'],
    ['freeze', 'deployment/web'],
    ['cleanup'],
    ['migrate'],
  ]) {
    const { code, err } = await commandAs(nobody, ...argv);
    expect(code, argv.join(' ')).toBe(1);
    expect(err, argv.join(' ')).toMatch(/may not|may list neither|forbidden|cannot/i);
  }
});

test('status without the operator says why, and what to do', async () => {
  const { command, stage } = await play();
  await stage.stopOperator();
  const { code, err } = await command('status');
  expect(code).toBe(1);
  expect(err).toContain('The operator cannot be asked: Service reloader/reloader');
});

test('--operator asks at an address, and needs no cluster', async () => {
  const { stage } = await play();
  const status: StatusAnswer = await stage.operatorView.status();
  const items = await stage.operatorView.read(stage.operatorView.lines());
  const { code, out } = await stage.drive(
    run(['status', '--operator', 'http://operator.test:9090/'], {
      clock: stage.clock,
      fetch: async (url) => ({
        status: 200,
        body: JSON.stringify(url.endsWith('/api/v1/status') ? status : { items }),
      }),
    }),
  );
  expect(code).toBe(0);
  expect(out).toContain('deployment/web');
});

async function permit(stage: Stage, user: string, rules: readonly object[]): Promise<void> {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  await stage.client.create(kinds.ClusterRole, {
    apiVersion,
    kind: 'ClusterRole',
    metadata: { name: user },
    rules,
  } as KubernetesObject);
  await stage.client.create(kinds.ClusterRoleBinding, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name: user },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
    subjects: [{ kind: 'User', name: user }],
  } as KubernetesObject);
}
