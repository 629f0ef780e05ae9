import type { Stored } from '@reloader/runtime';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_ANNOTATIONS as names } from '../model/annotations.ts';
import type { ReloaderConfigObject } from '../model/kinds.ts';
import { configFacts, MOST_CONDITIONS } from './config-projection.ts';

function config(
  spec: unknown,
  parts: { metadata?: object; status?: unknown } = {},
): Stored<ReloaderConfigObject> {
  const metadata = {
    name: 'rules',
    namespace: 'shop',
    uid: 'u1',
    resourceVersion: '4',
    generation: 2,
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...parts.metadata,
  };
  return { metadata, spec, ...(parts.status === undefined ? {} : { status: parts.status }) };
}

const factsOf = (spec: unknown) => configFacts(config(spec), names);
const problemsOf = (spec: unknown) => factsOf(spec).problems.map(({ field }) => field);

describe('Facts of a ReloaderConfig', () => {
  it('contain all conditions of hundreds of targets, of which some are checked here', () => {
    const targets = Array.from({ length: 300 }, (_, index) => ({
      kind: 'Deployment',
      name: `web-${index}`,
      condition: `source.labels.size() > ${index} &&`,
    }));
    const { problems, targets: read } = factsOf({ targets });
    expect(read.map(({ condition }) => condition)).toEqual(targets.map(({ condition }) => condition));
    expect(problems).toHaveLength(MOST_CONDITIONS.cached);
    const checkedIn = (most: number): number => configFacts(config({ targets }), names, most).problems.length;
    expect(checkedIn(MOST_CONDITIONS.admitted)).toBe(20);
    expect(checkedIn(Number.POSITIVE_INFINITY)).toBe(300);
    const same = targets.map((target) => ({ ...target, condition: 'false &&' }));
    expect(factsOf({ targets: same }).problems).toHaveLength(300);
  });

  it('contain the verify settings, with defaults for missing or invalid limits', () => {
    const defaults = { timeoutMs: 900_000, stableForMs: 30_000, maxRestarts: 0 };
    expect(factsOf({}).verify).toBeUndefined();
    expect(factsOf({ verify: {} }).verify).toEqual(defaults);
    const targets = [{ kind: 'Deployment', name: 'web', verify: { timeout: '1m', maxRestarts: 2 } }];
    expect(factsOf({ targets }).targets[0]?.verify).toEqual({
      ...defaults,
      timeoutMs: 60_000,
      maxRestarts: 2,
    });
    const odd = { verify: { timeout: 'soon', stableFor: 3, maxRestarts: -1 } };
    expect(factsOf(odd).verify).toEqual(defaults);
    expect(problemsOf(odd).sort()).toEqual(
      ['maxRestarts', 'stableFor', 'timeout'].map((name) => `spec.verify.${name}`),
    );
  });

  it('contain the content rules', () => {
    const entry = {
      source: { kind: 'Secret', name: 'db' },
      requiredKeys: ['a'],
      key: 'a',
      format: 'json',
      rule: 'self.a == 1',
      schema: { type: 'object' },
      message: 'a must be 1',
    };
    const { validate, problems } = factsOf({
      validate: [entry, { key: 'c', format: 'pem', expiresIn: '1h' }],
    });
    expect(problems).toEqual([]);
    const { source, ...rule } = entry;
    expect(validate).toEqual([
      {
        source,
        rule: { id: expect.any(String), from: 'spec.validate[0] of ReloaderConfig shop/rules', ...rule },
      },
      {
        source: undefined,
        rule: {
          id: expect.any(String),
          from: 'spec.validate[1] of ReloaderConfig shop/rules',
          requiredKeys: [],
          key: 'c',
          format: 'pem',
          expiresInMs: 3_600_000,
        },
      },
    ]);
  });

  it.each<[string, object, string[]]>([
    ['nothing', { key: 'a' }, ['requiredKeys']],
    ['an unknown format', { key: 'a', format: 'toml' }, ['format']],
    ['a format without a key', { format: 'json' }, ['format']],
    ['CEL that is none', { key: 'a', format: 'json', rule: 'self.' }, ['rule']],
    ['CEL without a format', { requiredKeys: ['a'], key: 'a', rule: 'true' }, ['rule']],
    ['a schema of PEM', { key: 'a', format: 'pem', schema: {} }, ['schema']],
    ['a schema with a reference', { key: 'a', format: 'json', schema: { $ref: '#' } }, ['schema']],
    ['an end of JSON', { key: 'a', format: 'json', expiresIn: '1h' }, ['expiresIn']],
  ])('hold what a rule is about that asks for %s', (_, entry, fields) => {
    const { validate } = factsOf({ validate: [entry] });
    expect(problemsOf({ validate: [entry] })).toEqual(fields.map((field) => `spec.validate[0].${field}`));
    expect(validate[0]?.rule.broken).toContain(fields[0]);
  });

  it('contain every field of the later shape', () => {
    const facts = factsOf({
      watchedResources: {
        secrets: ['a', 'b'],
        configMaps: ['c'],
        enableTargetedReload: true,
        namespaceSelector: { matchLabels: { team: 'blue' } },
        resourceSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
      },
      targets: [
        {
          kind: 'Deployment',
          name: 'web',
          namespace: 'front',
          rolloutStrategy: 'restart',
          reloadStrategy: 'annotations',
          pausePeriod: '1m30s',
          settle: '2s',
          batchWindow: '3s',
          requireReference: true,
        },
        { kind: 'CronJob', name: 'nightly' },
      ],
      rolloutStrategy: 'rollout',
      reloadStrategy: 'env-vars',
      pausePeriod: '5m',
      settle: '500ms',
      batchWindow: '1m',
      autoReloadAll: true,
      ignoreResources: [
        { kind: 'Secret', name: 'x' },
        { kind: 'ConfigMap', name: 'y', namespace: 'z' },
      ],
      matchLabels: { tier: 'front' },
    });
    expect(facts).toMatchObject({
      metadata: { name: 'rules', namespace: 'shop', uid: 'u1', resourceVersion: '4' },
      generation: 2,
      createdAt: Date.UTC(2026, 0, 1) / 1000,
      ignored: false,
      secrets: ['a', 'b'],
      configMaps: ['c'],
      enableTargetedReload: true,
      autoReloadAll: true,
      rolloutStrategy: 'rollout',
      reloadStrategy: 'env-vars',
      pausePeriodMs: 300_000,
      settleMs: 500,
      batchWindowMs: 60_000,
      matchLabels: { tier: 'front' },
      ignoreResources: [
        { kind: 'Secret', name: 'x' },
        { kind: 'ConfigMap', name: 'y', namespace: 'z' },
      ],
      problems: [],
    });
    expect(facts.targets).toEqual([
      {
        kind: 'Deployment',
        name: 'web',
        namespace: 'front',
        rolloutStrategy: 'restart',
        reloadStrategy: 'annotations',
        pausePeriodMs: 90_000,
        settleMs: 2000,
        batchWindowMs: 3000,
        requireReference: true,
      },
      { kind: 'CronJob', name: 'nightly', namespace: 'shop', requireReference: false },
    ]);
    expect(facts.namespaceSelector?.matches({ team: 'blue' })).toBe(true);
    expect(facts.resourceSelector?.matches({})).toBe(false);
  });

  it('accept fields that only the first shape had', () => {
    const facts = factsOf({ reloadOnCreate: true, reloadOnDelete: false, reloadStrategy: 'restart' });
    expect(facts).toMatchObject({
      reloadOnCreate: true,
      reloadOnDelete: false,
      rolloutStrategy: 'restart',
      reloadStrategy: undefined,
      problems: [],
    });
  });

  it('of an empty spec want nothing', () => {
    expect(factsOf(undefined)).toMatchObject({ secrets: [], configMaps: [], targets: [], problems: [] });
  });

  it('are ignored by annotation, also by a renamed one', () => {
    const ignoring = (annotations: object) => config({}, { metadata: { annotations } });
    expect(configFacts(ignoring({ 'reloader.stakater.com/ignore': 'true' }), names).ignored).toBe(true);
    expect(configFacts(ignoring({ 'reloader.stakater.com/ignore': 'yes' }), names).ignored).toBe(false);
    const renamed = { ...names, ignore: 'acme.com/ignore' };
    expect(configFacts(ignoring({ 'acme.com/ignore': 'true' }), renamed).ignored).toBe(true);
  });

  it('keep the status as it was read', () => {
    const status = { reloadCount: 3 };
    expect(configFacts(config({}, { status }), names).status).toEqual(status);
    expect(configFacts(config({}, { status: 'odd' }), names).status).toEqual({});
  });
});

describe('Problems of a ReloaderConfig', () => {
  it.each<[string, unknown, string[]]>([
    ['a spec that is a list', [], ['spec']],
    ['names that are no list', { watchedResources: { secrets: 'a' } }, ['spec.watchedResources.secrets']],
    [
      'a name that is a number',
      { watchedResources: { configMaps: ['a', 1] } },
      ['spec.watchedResources.configMaps[1]'],
    ],
    ['an unknown kind', { targets: [{ kind: 'Pod', name: 'a' }] }, ['spec.targets[0].kind']],
    ['no kind', { targets: [{ name: 'a' }] }, ['spec.targets[0].kind']],
    ['no name', { targets: [{ kind: 'Job' }] }, ['spec.targets[0].name']],
    ['a target that is a text', { targets: ['web'] }, ['spec.targets[0]']],
    ['a pause that is no duration', { pausePeriod: 'soon' }, ['spec.pausePeriod']],
    [
      'a negative pause',
      { targets: [{ kind: 'Job', name: 'a', pausePeriod: '-1s' }] },
      ['spec.targets[0].pausePeriod'],
    ],
    ['an unknown strategy', { rolloutStrategy: 'big-bang' }, ['spec.rolloutStrategy']],
    ['a flag that is a text', { autoReloadAll: 'true' }, ['spec.autoReloadAll']],
    ['labels that are numbers', { matchLabels: { a: 1, b: 'x' } }, ['spec.matchLabels.a']],
    [
      'a selector with an unknown operator',
      {
        watchedResources: {
          resourceSelector: { matchExpressions: [{ key: 'a', operator: 'Near', values: ['b'] }] },
        },
      },
      ['spec.watchedResources.resourceSelector'],
    ],
    [
      'a selector that is none',
      { watchedResources: { namespaceSelector: { matchLabels: ['a'] } } },
      ['spec.watchedResources.namespaceSelector'],
    ],
    [
      'ignored resources of another kind',
      { ignoreResources: [{ kind: 'Pod', name: 'a' }] },
      ['spec.ignoreResources[0].kind'],
    ],
  ])('name the field: %s', (_, spec, fields) => {
    expect(problemsOf(spec)).toEqual(fields);
  });

  it('leave everything else as it is', () => {
    const facts = factsOf({
      targets: [
        { kind: 'Pod', name: 'a' },
        { kind: 'Deployment', name: 'web', pausePeriod: 'soon' },
      ],
      matchLabels: { a: 1, b: 'x' },
    });
    expect(facts.targets).toEqual([
      { kind: 'Deployment', name: 'web', namespace: 'shop', requireReference: false },
    ]);
    expect(facts.matchLabels).toEqual({ b: 'x' });
  });

  it('make a broken selector select nothing', () => {
    const { resourceSelector } = factsOf({
      watchedResources: { resourceSelector: { matchLabels: { 'a b': 'c' } } },
    });
    expect(resourceSelector?.matches({})).toBe(false);
  });

  it('are not caused by inherited properties', () => {
    const spec = Object.create(
      { autoReloadAll: true },
      { matchLabels: { value: JSON.parse('{"__proto__":"x"}') } },
    );
    const facts = factsOf(spec);
    expect(facts.autoReloadAll).toBe(false);
    expect(Object.entries(facts.matchLabels)).toEqual([['__proto__', 'x']]);
  });

  it('are all that invalid JSON values cause: nothing throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
        factsOf(value);
        factsOf({ watchedResources: value, targets: other, ignoreResources: value, matchLabels: other });
        factsOf({
          targets: [value],
          watchedResources: { namespaceSelector: value, resourceSelector: other },
        });
        factsOf({
          watchedResources: { resourceSelector: { matchLabels: value, matchExpressions: [other] } },
        });
      }),
    );
  });
});
