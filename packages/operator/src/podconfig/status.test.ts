import { findCondition } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import type { PcmcFacts, PodConfigMapConfigStatus, Trouble } from './model.ts';
import { Progress } from './progress.ts';
import { projectConfig } from './project.ts';
import { statusOf } from './status.ts';

const NOW = Date.UTC(2026, 0, 2);
const FULL: Trouble = { reason: 'DataTooLarge', message: 'too much' };

function config(generation: number, status: PodConfigMapConfigStatus = {}, uid = 'u1'): PcmcFacts {
  const metadata = { name: 'meta', namespace: 'shop', uid, resourceVersion: '1', generation };
  return projectConfig({ metadata, status } as Parameters<typeof projectConfig>[0]);
}

const counted = (found: { outstanding?: number; trouble?: Trouble }) => ({
  ...{ matchedPods: 3, managedConfigMaps: 2, otherNames: [], troubled: found.trouble ? 2 : 0 },
  ...{ outstanding: 0, trouble: undefined },
  ...found,
});
const ready = (status: PodConfigMapConfigStatus) => {
  const { conditions, observedGeneration } = status;
  const found = findCondition(conditions, 'Ready');
  return [found?.status, found?.reason, observedGeneration];
};

describe('The status of a config', () => {
  const carriedOut = statusOf(config(1), counted({}), NOW);

  it.each([
    ['new, with work to do', config(1), { outstanding: 2 }, ['False', 'Reconciling', undefined]],
    ['carried out', config(1), {}, ['True', 'Synced', 1]],
    ['carried out, and a pod came', config(1, carriedOut), { outstanding: 1 }, ['True', 'Synced', 1]],
    ['changed, with work to do', config(2, carriedOut), { outstanding: 1 }, ['False', 'Reconciling', 1]],
    ['in trouble', config(2, carriedOut), { trouble: FULL }, ['False', 'DataTooLarge', 1]],
    [
      'in trouble, after it was carried out',
      config(1, carriedOut),
      { trouble: FULL },
      ['False', 'DataTooLarge', 1],
    ],
  ])('%s', (_, facts, found, expected) => {
    expect(ready(statusOf(facts, counted(found), NOW))).toEqual(expected);
  });

  it.each([
    ['carried out', config(1), {}, ['Ready']],
    ['new, with work to do', config(1), { outstanding: 2 }, ['Ready', 'Reconciling']],
    ['in trouble', config(1), { trouble: FULL }, ['Ready', 'Stalled']],
    ['mended after trouble', config(2, statusOf(config(1), counted({ trouble: FULL }), NOW)), {}, ['Ready']],
    [
      'in trouble after work under way',
      config(2, statusOf(config(1), counted({ outstanding: 1 }), NOW)),
      { trouble: FULL },
      ['Ready', 'Stalled'],
    ],
  ])('says what others wait for: %s', (_, facts, found, types) => {
    const { conditions = [] } = statusOf(facts, counted(found), NOW);
    const of = (type: string) => conditions.find((each) => each.type === type);
    expect(conditions.map(({ type }) => type).sort()).toEqual(types);
    const { reason, message } = of('Ready') ?? {};
    for (const type of types.slice(1)) expect(of(type)).toMatchObject({ status: 'True', reason, message });
  });

  it('moves the time of a condition only with its status', () => {
    const later = statusOf(config(2, carriedOut), counted({}), NOW + 60_000);
    expect(findCondition(later.conditions, 'Ready')?.lastTransitionTime).toBe(
      findCondition(carriedOut.conditions, 'Ready')?.lastTransitionTime,
    );
    const broken = statusOf(config(2, later), counted({ trouble: FULL }), NOW + 60_000);
    expect(findCondition(broken.conditions, 'Ready')?.lastTransitionTime).not.toBe(
      findCondition(later.conditions, 'Ready')?.lastTransitionTime,
    );
  });

  it('names one pod and counts the others', () => {
    const { conditions } = statusOf(config(1), counted({ trouble: FULL }), NOW);
    expect(findCondition(conditions, 'Ready')?.message).toBe('too much (and 1 more)');
  });
});

describe('Progress', () => {
  it('says whether there is anything new', () => {
    const progress = new Progress();
    expect(progress.record(config(1), 'a', 'right')).toBe(true);
    expect(progress.record(config(1), 'a', 'right')).toBe(false);
    expect(progress.record(config(1), 'a', FULL)).toBe(true);
    expect(progress.record(config(1), 'a', { ...FULL })).toBe(false);
    expect(progress.record(config(2), 'a', { ...FULL })).toBe(true);
    expect(progress.forgetPod('shop', 'a')).toEqual(['meta']);
    expect(progress.forgetPod('shop', 'a')).toEqual([]);
  });

  it('counts pods that exist, and takes those that were not looked at for outstanding', () => {
    const progress = new Progress();
    progress.record(config(1), 'a', 'right');
    progress.record(config(1), 'b', 'unselected');
    progress.record(config(1), 'c', 'open');
    progress.record(config(1), 'e', FULL);
    progress.record(config(1), 'gone', FULL);
    expect(progress.of(config(1), ['a', 'b', 'c', 'd', 'e'])).toEqual({
      ...{ matchedPods: 3, outstanding: 2, troubled: 1, trouble: FULL },
    });
  });

  it.each([
    ['another generation', config(2)],
    ['another config of the name', config(1, {}, 'u2')],
  ])('does not count what was found for %s', (_, now) => {
    const progress = new Progress();
    progress.record(config(1), 'a', 'right');
    expect(progress.of(now, ['a'])).toMatchObject({ matchedPods: 0, outstanding: 1 });
  });

  it('names the first pod in trouble by its name', () => {
    const progress = new Progress();
    for (const pod of ['b', 'a', 'c']) progress.record(config(1), pod, { ...FULL, message: pod });
    expect(progress.of(config(1), ['b', 'c', 'a']).trouble?.message).toBe('a');
  });
});
