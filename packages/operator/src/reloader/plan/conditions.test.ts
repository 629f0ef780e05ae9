import { describe, expect, it } from 'vitest';
import { POLICY } from '../decide/decide.test.support.ts';
import type { Condition } from '../model/condition.ts';
import type { Verdict } from '../model/decision.ts';
import { ALL_KEYS, type SourceState } from '../model/source-facts.ts';
import type { WantedSource } from '../model/want.ts';
import { sourceFacts, workloadFacts } from '../want/world.test.support.ts';
import { unmetConditions } from './conditions.ts';

const present: SourceState = {
  kind: 'present',
  facts: {
    ...sourceFacts({ kind: 'Secret', name: 'db', labels: { env: 'prod' } }),
    keyDigests: 'a\0x\0b\0y',
  },
};
/** As a source with more than a thousand keys is cached. */
const untracked: SourceState = { ...present, facts: { ...present.facts, keyDigests: `${ALL_KEYS}\0x` } };
const gone: SourceState = { kind: 'gone', last: { labels: { env: 'prod' }, annotations: {} } };

function unmet(
  text: string,
  state: SourceState = present,
  more: Partial<Condition> = {},
  changed = true,
): string[] {
  const ref = { kind: 'Secret' as const, namespace: 'shop', name: 'db' };
  const source = { ref, key: 'secret/db', state, configs: ['shop/rules'] } as unknown as WantedSource;
  const verdict = {
    differences: [{ key: 'secret/db', finding: 'changed', reload: changed, next: undefined }],
    reload: { policy: { ...POLICY, conditions: [{ text, where: 'here', ...more }] } },
  } as unknown as Verdict;
  const workload = workloadFacts({ labels: { tier: 'front' } });
  return unmetConditions(workload, { sources: [source] }, verdict).map(({ problem = 'false' }) => problem);
}

describe('Conditions of what is to be rolled out', () => {
  it.each<[string, Parameters<typeof unmet>, string[]]>([
    ['see labels of the source', ["source.labels['env'] == 'prod'"], []],
    ['see its keys, and no values', ["source.keys == ['a', 'b']"], []],
    ['see where it is', ["source.kind + '/' + source.namespace + '/' + source.name == 'Secret/shop/db'"], []],
    [
      'see the workload',
      ["workload.kind == 'Deployment' && workload.name == 'web' && workload.namespace == 'shop'"],
      [],
    ],
    ['see labels of the workload', ["workload.labels.tier == 'back'"], ['false']],
    ['see how many pods there are', ['workload.replicas >= 0 && workload.available >= 0'], []],
    [
      'see the labels that a deleted source had, and no keys',
      ["source.labels['env'] == 'prod' && size(source.keys) == 0", gone],
      [],
    ],
    [
      'about other things hold for a source with too many keys',
      ["source.labels['env'] == 'prod'", untracked],
      [],
    ],
    [
      'cannot be evaluated where its keys are not known',
      ["!('hold' in source.keys)", untracked],
      [expect.stringContaining('source.keys is not known of a source with more than 1000 keys')],
    ],
    [
      'cannot be evaluated by the number of keys that are not known',
      ['size(source.keys) == 0', untracked],
      [expect.stringContaining('more than 1000 keys')],
    ],
    ['count for what their config watches', ['false', present, { config: 'shop/rules' }], ['false']],
    ['do not count for what it does not watch', ['false', present, { config: 'shop/other' }], []],
    ['see no labels of a deleted source that nobody saw', ['size(source.labels) == 0', { kind: 'gone' }], []],
    [
      'see no labels of a source that cannot be read',
      ['size(source.labels) == 0', { kind: 'unknown', why: 'forbidden' }],
      [],
    ],
    ['with a mistake hold nothing here: the policy does', ['source.'], []],
    ['do not count for what did not change', ['false', present, {}, false], []],
    [
      'that fail tell where',
      ["source.labels['region'] == 'eu'"],
      ['column 1: there is no such field or key; ask for it by has() or by in first'],
    ],
  ])('%s', (_, given, expected) => {
    expect(unmet(...given)).toEqual(expected);
  });
});

describe('Conditions that take much work', () => {
  const keys = Array.from({ length: 120 }, (_, index) => `k${index}`);
  const facts = {
    ...sourceFacts({ kind: 'ConfigMap', name: 'big', digest: 'one' }),
    keyDigests: keys.flatMap((key) => [key, 'x']).join('\0'),
  };
  const workload = workloadFacts({});
  const HEAVY = 'source.keys.all(a, source.keys.exists(b, a == b))';

  function heavy(count: number, labels: Record<string, string>, text = HEAVY): string[] {
    const state: SourceState = { kind: 'present', facts: { ...facts, labels } };
    const ref = { kind: 'ConfigMap' as const, namespace: 'shop', name: 'big' };
    const source = { ref, key: 'cm/big', state, configs: [] } as unknown as WantedSource;
    const conditions = Array.from({ length: count }, (_, at) => ({
      text: `${text} || ${at} > 0`,
      where: '',
    }));
    const verdict = {
      differences: [{ key: 'cm/big', reload: true }],
      reload: { policy: { ...POLICY, conditions } },
    } as unknown as Verdict;
    return unmetConditions(workload, { sources: [source] }, verdict).map(({ problem = 'false' }) => problem);
  }

  const TOGETHER = 'the conditions of this workload take too much work together';

  it('are all evaluated, as long as they are few', () => {
    expect(heavy(1, {})).toEqual(['column 42: the expression takes too much work']);
    expect(heavy(2, {})).toHaveLength(2);
  });

  it('are given up together, always at the same one, evaluated before or not', () => {
    const labels = {};
    const first = heavy(30, labels);
    expect(first.at(-1)).toBe(TOGETHER);
    expect(first.length).toBeLessThan(6);
    expect(heavy(30, labels)).toEqual(first);
  });

  it('are evaluated again when the source has other labels', () => {
    const text = `source.keys.all(a, a != '') && source.keys.all(a, a != 'x') && 'go' in source.labels`;
    const none = {};
    expect(heavy(1, none, `(${text})`)).toEqual(['false']);
    expect(heavy(1, none, `(${text})`)).toEqual(['false']);
    expect(heavy(1, { go: '' }, `(${text})`)).toEqual([]);
  });
});
