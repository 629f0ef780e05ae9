/** Tests of the checks: each gets a history that breaks it and one that does not. */
import { describe, expect, test } from 'vitest';
import { Chronicle, type ChronicleObject } from '../chronicle.ts';
import { CANARY, CANARY_BASE64, LEDGER, PAUSED_AT, ROLLED } from '../names.ts';
import type { Operator, SentRequest, Stage } from '../stage.ts';
import { converged } from './converged.ts';
import { countsAreTrue } from './counts.ts';
import { explained } from './explained.ts';
import { healthy } from './healthy.ts';
import { ownFieldsOnly } from './own-fields.ts';
import { requestsAreModest } from './requests.ts';
import { noSecretsAnywhere } from './secrets.ts';

/** A history in one namespace, one revision after the other. */
class Told {
  readonly chronicle = new Chronicle();
  #revision = 0;

  constructor() {
    this.chronicle.include('shop');
  }

  put(kind: string, name: string, rest: object, meta: object = {}): this {
    this.#revision += 1;
    const metadata = {
      name,
      namespace: 'shop',
      uid: `${kind}-${name}`,
      resourceVersion: String(this.#revision),
      ...meta,
    };
    this.chronicle.note(this.#revision === 1 ? 'ADDED' : 'MODIFIED', kind, {
      kind,
      metadata,
      ...rest,
    } as ChronicleObject);
    return this;
  }

  /** Without a second, the object carries no time of writing. */
  settings(mode: string, second?: number): this {
    const time = second === undefined ? undefined : new Date(second * 1000).toISOString();
    return this.put('ConfigMap', 'settings', { data: { mode } }, time ? { managedFields: [{ time }] } : {});
  }

  /** A Deployment with a ledger of this number; `entry` is the content that the operator claims to have seen. */
  web(seq: number, entry: string, { mark = seq, configs = [] as string[], annotations = {} } = {}): this {
    const recent = seq > 0 ? [{ n: seq, at: 1, c: configs, s: ['cm/settings'] }] : [];
    const ledger = JSON.stringify({
      v: 1,
      uid: 'Deployment-web',
      seq,
      t: 1,
      recent,
      s: { 'cm/settings': entry },
    });
    const template = mark > 0 ? { metadata: { annotations: { [ROLLED]: JSON.stringify({ n: mark }) } } } : {};
    return this.put(
      'Deployment',
      'web',
      { spec: { template } },
      { annotations: { [LEDGER]: ledger, ...annotations } },
    );
  }
}

describe('explained', () => {
  test('a reload after a change of content', () => {
    const told = new Told().settings('slow').web(0, 'a').settings('fast').web(1, 'b');
    expect(explained(told.chronicle, {})).toEqual([]);
  });

  test('a reload without one', () => {
    const told = new Told().settings('slow').web(0, 'a').settings('slow').web(1, 'b');
    expect(explained(told.chronicle, {})).toEqual([
      expect.stringMatching(/^I1: reload 1 of Deployment\/web has no cause/),
    ]);
  });

  describe('a change that overtook the record of the one before it', () => {
    const told = (second: number) =>
      new Told()
        .settings('slow')
        .web(0, 'a')
        .settings('fast')
        .settings('faster', second)
        .web(1, 'b')
        .web(2, 'c');

    test('explains the next reload where it was made in the second of the record', () => {
      expect(explained(told(1).chronicle, {})).toEqual([]);
    });

    test('does not where it was made before', () => {
      expect(explained(told(0).chronicle, {})).toEqual([
        expect.stringMatching(/^I1: reload 2 of Deployment\/web has no cause/),
      ]);
    });
  });

  test('a number that jumps', () => {
    const told = new Told().settings('slow').web(0, 'a').settings('fast').web(2, 'b');
    expect(explained(told.chronicle, {})).toEqual(['I2: Deployment/web went from reload 0 to 2']);
  });

  test('a template that was rolled without the ledger', () => {
    const told = new Told().settings('slow').web(0, 'a').web(0, 'a', { mark: 1 });
    expect(explained(told.chronicle, {})).toEqual([
      expect.stringMatching(/^I1: the template of Deployment\/web says reload 1/),
    ]);
  });
});

describe('converged', () => {
  test('the ledger was written after the last change', () => {
    expect(converged(new Told().settings('slow').web(0, 'a').chronicle, {})).toEqual([]);
  });

  test('there and back is as good', () => {
    const told = new Told().settings('slow').web(0, 'a').settings('fast').settings('slow');
    expect(converged(told.chronicle, {})).toEqual([]);
  });

  test('a change that was lost', () => {
    const told = new Told().settings('slow').web(0, 'a').settings('fast');
    expect(converged(told.chronicle, {})).toEqual(['I2: Deployment/web stands on an old ConfigMap settings']);
    expect(converged(told.chronicle, { pending: true })).toEqual([]);
  });

  test('a Deployment that is left paused', () => {
    const told = new Told()
      .settings('slow')
      .web(0, 'a', { annotations: { [PAUSED_AT]: '2030-01-01T00:00:00Z' } });
    expect(converged(told.chronicle, {})).toEqual(['I6: Deployment/web is left paused']);
  });
});

test('counts: the status says what the ledgers say', () => {
  const told = new Told()
    .settings('slow')
    .web(0, 'a')
    .settings('fast')
    .web(1, 'b', { configs: ['shop/config'] });
  told.put('ReloaderConfig', 'config', { status: { reloadCount: 1 } });
  expect(countsAreTrue(told.chronicle, {})).toEqual([]);
  told.put('ReloaderConfig', 'config', { status: { reloadCount: 2 } });
  expect(countsAreTrue(told.chronicle, {})).toEqual(['I12: config counts 2 reloads, there were 1']);
});

test('own fields: ours, and one that is not', () => {
  const owning = (spec: object) => ({
    managedFields: [
      {
        manager: 'Reloader',
        fieldsV1: { 'f:metadata': { 'f:annotations': { '.': {}, [`f:${LEDGER}`]: {} } }, 'f:spec': spec },
      },
    ],
  });
  const env = {
    'f:env': { '.': {}, 'k:{"name":"STAKATER_DB_SECRET"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
  };
  const container = { 'f:containers': { 'k:{"name":"main"}': env } };
  const told = new Told().put('Deployment', 'web', {}, owning({ 'f:template': { 'f:spec': container } }));
  expect(ownFieldsOnly(told.chronicle)).toEqual([]);
  told.put('Deployment', 'web', {}, owning({ 'f:replicas': {} }));
  expect(ownFieldsOnly(told.chronicle)).toEqual(['I6: Reloader owns spec/replicas of Deployment/web']);
});

describe('requests', () => {
  const operators = [{ namespace: 'home' }] as unknown as Operator[];
  const sent = (request: Partial<SentRequest>): string[] =>
    requestsAreModest(
      [
        {
          user: 'u',
          verb: 'patch',
          group: 'apps',
          resource: 'deployments',
          subresource: '',
          namespace: 'shop',
          name: 'web',
          code: 200,
          body: [],
          at: 0,
          ...request,
        },
      ],
      operators,
      {},
    );
  const uid = { op: 'test', path: '/metadata/uid', value: 'x' };

  test.each<[string, Partial<SentRequest>]>([
    [
      'a rollout with our annotation',
      {
        body: [
          uid,
          { op: 'add', path: `/metadata/annotations/${LEDGER.replace('/', '~1')}`, value: '{}' },
          { op: 'add', path: '/spec/template/metadata/annotations', value: {} },
        ],
      },
    ],
    [
      'a variable of ours taken away',
      {
        body: [
          uid,
          { op: 'test', path: '/spec/template/spec/containers/0/env/1/name', value: 'STAKATER_X_SECRET' },
          { op: 'remove', path: '/spec/template/spec/containers/0/env/1' },
        ],
      },
    ],
    ['a ConfigMap at home', { resource: 'configmaps', namespace: 'home', verb: 'update' }],
    ['an eviction', { resource: 'pods', subresource: 'eviction', verb: 'create' }],
    ['anything that the server forbade', { verb: 'update', code: 403 }],
  ])('allowed: %s', (_, request) => expect(sent(request)).toEqual([]));

  test.each<[string, Partial<SentRequest>]>([
    ['a PUT', { verb: 'update', body: {} }],
    [
      'a patch that does not ask for the uid',
      { body: [{ op: 'add', path: '/metadata/annotations/x', value: '' }] },
    ],
    [
      "somebody else's variable taken away",
      {
        body: [
          uid,
          { op: 'test', path: '/spec/template/spec/containers/0/env/1/name', value: 'MINE' },
          { op: 'remove', path: '/spec/template/spec/containers/0/env/1' },
        ],
      },
    ],
    [
      "somebody else's annotation taken away",
      { body: [uid, { op: 'remove', path: '/metadata/annotations/example.com~1x' }] },
    ],
    [
      'our annotation without a rollout',
      { body: [uid, { op: 'add', path: `/metadata/annotations/${LEDGER.replace('/', '~1')}`, value: '{}' }] },
    ],
    ["a user's ConfigMap", { resource: 'configmaps' }],
    [
      'a Secret at home that is not the key',
      { resource: 'secrets', namespace: 'home', verb: 'create', body: { metadata: { name: 'other' } } },
    ],
    ['a pod deleted', { resource: 'pods', verb: 'delete' }],
  ])('not allowed: %s', (_, request) => expect(sent(request)).toHaveLength(1));
});

describe('secrets', () => {
  const stage = (told: Told, log = '', metrics = ''): Stage =>
    ({
      chronicle: told.chronicle,
      operators: [{ logText: () => log, metrics: async () => metrics }],
    }) as unknown as Stage;

  test('are in the Secret only', async () => {
    const told = new Told().put('Secret', 'db', { data: { password: CANARY_BASE64 } }).settings('slow');
    expect(await noSecretsAnywhere(stage(told))).toEqual([]);
  });

  test('are found in logs, metrics and annotations', async () => {
    const told = new Told().put('Deployment', 'web', {}, { annotations: { leak: CANARY_BASE64 } });
    expect(await noSecretsAnywhere(stage(told, `x${CANARY}x`, CANARY))).toEqual([
      'I10: a secret value stands in the log',
      'I10: a secret value stands in the metrics',
      'I10: a secret value stands in Deployment/web',
    ]);
  });
});

describe('healthy', () => {
  const operator = (level: string, message: string, values: object = {}, failure?: string): Operator[] =>
    [{ failure, log: [{ level, message, values }] }] as unknown as Operator[];

  test('a warning is nothing unusual', () =>
    expect(healthy(operator('warn', 'Not allowed'), {})).toEqual([]));

  test.each<[string, Operator[]]>([
    ['an end', operator('info', 'Stopped', {}, 'exit 1')],
    ['a line of Node itself', operator('stray', '(node:1) Warning: something')],
    ['a mistake in the code', operator('error', 'Reconcile failed', { error: { name: 'TypeError' } })],
  ])('not healthy: %s', (_, operators) => expect(healthy(operators, {})).toHaveLength(1));
});
