import { describe, expect, it } from 'vitest';
import { contentRule } from '../../validate/rule.ts';
import { NO_BASE } from '../ledger/note.ts';
import { NO_SLOTS } from '../model/budget.ts';
import type { ContentVerdict } from '../model/content-rule.ts';
import {
  configFacts,
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  usingPodSpec,
  workloadFacts,
} from '../want/world.test.support.ts';
import { type PlanInput, plan } from './plan.ts';

const MAP = { kind: 'ConfigMap', name: 'settings' } as const;
const RULE = contentRule({ from: 'test', requiredKeys: ['a'] });
const FINDING = { from: 'test', key: 'a', what: 'is missing' };
const digest = (word: string): string => word.padEnd(22, '_');

function planned(verdict: ContentVerdict | undefined, parts: Partial<PlanInput> = {}, rules = [RULE]) {
  const workload = workloadFacts({
    podSpec: usingPodSpec(MAP),
    annotations: parts.workload?.annotations ?? {},
  });
  const world = fakeWorld({
    sources: [sourceFacts({ ...MAP, digest: digest('new'), writtenAt: 3000 })],
    workloads: [workload],
    namespaces: [namespaceFacts()],
    configs: [
      configFacts({ configMaps: ['settings'], validate: rules.map((rule) => ({ source: undefined, rule })) }),
    ],
  });
  const record = {
    uid: 'uid-web',
    seq: 0,
    writtenAt: 2000,
    template: 'template',
    keyId: 'key1',
    recent: [],
    sources: new Map([['cm/settings', { digest: digest('old') }]]),
  };
  return plan({
    world,
    settings: defaultSettings({ settleMs: 0 }),
    install: { at: 100, keyId: 'key1' },
    note: { kind: 'note', note: { record, base: NO_BASE } },
    memory: undefined,
    pods: { readSince: [1] },
    slots: () => NO_SLOTS,
    following: undefined,
    verdictOn: () => verdict,
    now: 5_000_000,
    ...parts,
    workload,
  });
}

describe('A change whose content has rules', () => {
  it('is to be checked before it is rolled out', () => {
    const { action, unchecked } = planned(undefined);
    expect(action.kind).toBe('reload');
    expect(unchecked).toEqual([{ ref: { ...MAP, namespace: 'shop' }, digest: digest('new'), rules: [RULE] }]);
  });

  it('is rolled out if nothing was found', () => {
    const { action, unchecked } = planned({ findings: [] });
    expect(action.kind).toBe('reload');
    expect(unchecked).toBeUndefined();
  });

  it('is held without a time if something was found', () => {
    const { action } = planned({ findings: [FINDING] });
    expect(action).toMatchObject({ kind: 'defer', later: { why: 'invalid', until: undefined } });
    const message =
      'The content of ConfigMap shop/settings is not what it has to be: key a: is missing (test)';
    expect(action).toMatchObject({
      later: { warnings: [{ condition: 'InvalidChange', message: expect.stringContaining(message) }] },
    });
  });

  it('is not checked if it did not change', () => {
    const note = planned(undefined).recorded;
    if (!note) throw new Error('it is recorded');
    const record = { ...note, sources: new Map([['cm/settings', { digest: digest('new') }]]) };
    const same = planned(undefined, { note: { kind: 'note', note: { record, base: NO_BASE } } });
    expect(same.unchecked).toBeUndefined();
    expect(same.action.kind).toBe('leave');
  });

  it('is held whatever a user instructs', () => {
    const { action } = planned({ findings: [FINDING] });
    const change = action.kind === 'defer' ? action.later.change : '';
    const annotations = { 'reloader.stakater.com/now': change };
    const again = planned({ findings: [FINDING] }, { workload: workloadFacts({ annotations }) });
    expect(again.action).toMatchObject({ kind: 'defer', later: { why: 'invalid', change } });
  });

  it('costs nothing if there is no rule', () => {
    const { unchecked, action } = planned(undefined, {}, []);
    expect(unchecked).toBeUndefined();
    expect(action.kind).toBe('reload');
  });
});
