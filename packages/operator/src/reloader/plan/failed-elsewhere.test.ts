import { describe, expect, it } from 'vitest';
import { POLICY } from '../decide/decide.test.support.ts';
import type { Verdict } from '../model/decision.ts';
import { contentName, type FailedContent } from '../model/failed-content.ts';
import { DEFAULT_VERIFY } from '../model/verify.ts';
import type { WorkloadKind } from '../model/workload.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import { eachOnce, failedElsewhere } from './failed-elsewhere.ts';

const BAD = contentName({ kind: 'ConfigMap', namespace: 'shop', name: 'settings' }, 'bad');
const on = (...names: string[]): FailedContent[] =>
  names.map((name) => ({ workload: `Deployment/${name}`, uid: '', seq: 1, message: '' }));

const CHANGED = { key: 'cm/settings', finding: 'changed', reload: true, next: { digest: 'bad' } };

function held(
  failed: readonly FailedContent[],
  verify: boolean,
  kind: WorkloadKind = 'Deployment',
  changed: object = CHANGED,
): string[] {
  const isPeer = (key: string): boolean => key.startsWith('Deployment/shop/');
  const policy = { ...POLICY, verify: verify ? { ...DEFAULT_VERIFY, isPeer } : undefined };
  const verdict = {
    differences: [changed, { key: 'cm/other', finding: 'unchanged', reload: false, next: { digest: 'bad' } }],
    reload: { policy },
  } as unknown as Verdict;
  const lookUp = (content: string): readonly FailedContent[] => (content === BAD ? failed : []);
  return failedElsewhere(workloadFacts({ kind }), verdict, lookUp).map(({ workload }) => workload);
}

describe('A content that failed elsewhere holds a workload', () => {
  it.each<[string, Parameters<typeof held>, string[]]>([
    ['by its peers', [on('shop/a', 'far/b'), true], ['Deployment/shop/a']],
    [
      'not if the content is not to be rolled out',
      [on('shop/a'), true, 'Deployment', { ...CHANGED, reload: false }],
      [],
    ],
    ['not if the source is deleted', [on('shop/a'), true, 'Deployment', { ...CHANGED, next: undefined }], []],
    [
      'not by what names no source',
      [on('shop/a'), true, 'Deployment', { ...CHANGED, key: 'x/settings' }],
      [],
    ],
    ['only if it is verified itself', [on('shop/a'), false], []],
    ['not if nothing of it is', [on('shop/a'), true, 'CronJob'], []],
    [
      'not if it failed with the same content: somebody has to try again',
      [on('shop/a', 'shop/web'), true],
      [],
    ],
  ])('%s', (_, given, expected) => {
    expect(held(...given)).toEqual(expected);
  });
});

it('A failure of a workload is told once, as it was found first', () => {
  const source = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' } as const;
  const [a, b] = on('shop/a', 'shop/b').map((failure) => ({ ...failure, source }));
  if (!a || !b) throw new Error('there are two');
  expect(eachOnce([a, b, { ...a, message: 'again' }])).toEqual([a, b]);
});
