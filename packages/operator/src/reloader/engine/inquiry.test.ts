import { describe, expect, it } from 'vitest';
import type { ContentQuestion } from '../model/content-rule.ts';
import type { PodEvidence } from '../model/decision.ts';
import type { Action } from '../plan/action.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import { Inquiry, isLacking, withoutUnchecked } from './inquiry.ts';
import type { Planned } from './planner.ts';

const QUESTION: ContentQuestion = {
  ref: { kind: 'Secret', namespace: 'shop', name: 'db' },
  digest: 'd',
  rules: [],
};
const never = new AbortController().signal;
const RELOAD = { kind: 'reload' } as Action;
const later = (why: string) => ({ kind: 'defer', later: { why } }) as Action;
const planned = (action: Action, ...unchecked: ContentQuestion[]): Planned =>
  ({ action, ...(unchecked.length > 0 && { unchecked }), now: 0 }) as unknown as Planned;

describe('A plan lacks', () => {
  it.each<[string, Planned, boolean]>([
    ['nothing', planned(RELOAD), false],
    ['the ages of pods', planned({ kind: 'ask-pods', doubt: 'away' }), true],
    ['a verdict before a reload', planned(RELOAD, QUESTION), true],
    ['a verdict while it waits for a window', planned(later('window'), QUESTION), true],
    ['nothing while it settles', planned(later('settling'), QUESTION), false],
  ])('%s', (_, plan, expected) => {
    expect(isLacking(plan)).toBe(expected);
  });

  it('a verdict that is not available: then nothing is rolled out', () => {
    expect(withoutUnchecked(planned(RELOAD, QUESTION)).action).toEqual({ kind: 'wait', afterMs: 1_000 });
    expect(withoutUnchecked(planned(RELOAD)).action).toBe(RELOAD);
    const held = planned(later('window'), QUESTION);
    expect(withoutUnchecked(held)).toBe(held);
  });
});

describe('What is found out', () => {
  const PODS: PodEvidence = { readSince: [1] };

  function setUp(next: Planned) {
    const asked: string[] = [];
    const inquiry = new Inquiry(
      {
        lookAtPods: async (_, why) => {
          asked.push(`pods: ${why}`);
          return PODS;
        },
        checkContents: async (questions) => {
          asked.push(...questions.map(({ ref }) => `content: ${ref.name}`));
        },
      },
      { plan: () => next },
    );
    return { asked, about: (first: Planned) => inquiry.about(workloadFacts(), first, never) };
  }

  it('is both where the pods speak for a reload', async () => {
    const { asked, about } = setUp(planned(RELOAD, QUESTION));
    expect(await about(planned({ kind: 'ask-pods', doubt: 'away' }))).toBe(PODS);
    expect(asked).toEqual(['pods: away', 'content: db']);
  });

  it('is the content alone where there is no doubt', async () => {
    const { asked, about } = setUp(planned(RELOAD));
    expect(await about(planned(RELOAD, QUESTION))).toBeUndefined();
    expect(asked).toEqual(['content: db']);
  });
});
