import { describe, expect, it } from 'vitest';
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import { Fleet, START } from './fleet.test.support.ts';

const HOUR = 3_600_000;
const three = { db: 1, api: 2, web: 3 };

/** Why it waits, and the sentence. */
function waits(fleet: Fleet, name: string): string {
  const action = fleet.pass(name);
  return action.kind === 'defer' ? `${action.later.why}: ${action.later.message}` : action.kind;
}

describe('Waves', () => {
  it('wait for the outcome of lower ones, and not for their rollout', () => {
    const fleet = new Fleet({ waves: three });
    fleet.change();
    expect(waits(fleet, 'web')).toBe(
      'wave: Wave 3 waits for wave 1: Deployment shop/db (about to begin); 1 more of lower waves do not have the change yet',
    );
    expect(waits(fleet, 'db')).toBe('reload');
    expect(waits(fleet, 'api')).toBe('wave: Wave 2 waits for wave 1: Deployment shop/db (rolls out)');
    fleet.end('db', 'ok');
    expect(waits(fleet, 'web')).toBe('wave: Wave 3 waits for wave 2: Deployment shop/api (about to begin)');
    expect(waits(fleet, 'api')).toBe('reload');
    fleet.end('api', 'ok');
    expect(waits(fleet, 'web')).toBe('reload');
  });

  it('of a lower number that fail hold the others, until other content comes', () => {
    const fleet = new Fleet({ waves: three });
    fleet.change();
    fleet.pass('db');
    fleet.end('db', 'failed');
    expect(waits(fleet, 'api')).toMatch(/^failed-elsewhere: .* failed on Deployment shop\/db/);
    fleet.change();
    expect(waits(fleet, 'api')).toMatch(/^wave: Wave 2 waits for wave 1/);
    expect(waits(fleet, 'db')).toBe('reload');
    fleet.end('db', 'ok');
    expect(waits(fleet, 'api')).toBe('reload');
  });

  it.each<[string, Record<string, string>, string]>([
    ['frozen by a person', { [FIXED_ANNOTATIONS.freeze]: 'true' }, 'reload'],
    ['held by a condition', { [FIXED_ANNOTATIONS.condition]: 'false' }, 'reload'],
    ['held by what nobody can read', { [FIXED_ANNOTATIONS.condition]: 'maybe' }, 'reload'],
    [
      'waiting for approval',
      { [FIXED_ANNOTATIONS.approval]: 'required' },
      'wave: Wave 2 waits for wave 1: Deployment shop/db (approval)',
    ],
    [
      'waiting for its window',
      { [FIXED_ANNOTATIONS.syncWindows]: '[{from: "2090-01-01T00:00:00Z", to: "2091-01-01T00:00:00Z"}]' },
      'wave: Wave 2 waits for wave 1: Deployment shop/db (window)',
    ],
  ])('with one that is %s', (_, annotations, expected) => {
    const fleet = new Fleet({ waves: three });
    fleet.change();
    fleet.annotate('db', annotations);
    expect(waits(fleet, 'api')).toBe(expected);
  });

  it('are shown to users who ask, even while an earlier gate holds', () => {
    const fleet = new Fleet({ waves: three, canary: { steps: [{ count: 1 }], bakeMs: HOUR } });
    fleet.change();
    fleet.annotate('api', { [FIXED_ANNOTATIONS.freeze]: 'true' });
    expect(fleet.foreseen('api').map(({ why }) => why)).toEqual(['frozen', 'wave']);
    expect(fleet.foreseen('api')[1]?.message).toMatch(/^Wave 2 waits for wave 1: Deployment shop\/db/);
  });

  it('do not wait for one whose outcome will never be known', () => {
    const fleet = new Fleet({ waves: three });
    fleet.change();
    fleet.pass('db');
    fleet.change();
    fleet.pass('db');
    fleet.end('db', 'ok');
    expect(waits(fleet, 'api')).toBe('reload');
  });

  it('wait up to 30 s for the first look of the process at a rollout', () => {
    const fleet = new Fleet({ waves: { db: 1, api: 2 }, decidesSince: START / 1000 });
    fleet.now += 1000;
    fleet.change();
    fleet.pass('db');
    fleet.forgetOutcome('db');
    fleet.crash();
    expect(waits(fleet, 'api')).toBe('wave: Wave 2 waits for wave 1: Deployment shop/db (rolls out)');
    fleet.now = START + 30_000;
    expect(waits(fleet, 'api')).toBe('reload');
  });
});

const names = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `app-${String(index).padStart(2, '0')}`);
const NONE = Object.fromEntries(names(20).map((name) => [name, 0]));
const canary = { steps: [{ count: 1 }, { percent: 25 }], bakeMs: HOUR };

/** The number of workloads that have the current content. */
const having = (fleet: Fleet): number =>
  Object.keys(NONE).filter((name) => fleet.reloads(name).at(-1) === fleet.content).length;
const endAll = (fleet: Fleet): void => {
  for (const name of Object.keys(NONE)) fleet.end(name, 'ok');
};
/** All rollouts of this step succeed, and the bake time passes. */
function step(fleet: Fleet): number {
  fleet.passes();
  endAll(fleet);
  const count = having(fleet);
  fleet.now += HOUR - 1000;
  fleet.passes();
  expect(having(fleet), 'before the step has baked').toBe(count);
  fleet.now += 1000;
  return count;
}

describe('A canary', () => {
  it('goes step by step, and each step bakes', () => {
    const fleet = new Fleet({ waves: NONE, canary });
    fleet.change();
    expect([step(fleet), step(fleet)]).toEqual([1, 5]);
    fleet.passes();
    expect(having(fleet)).toBe(20);
  });

  it('begins with workloads that are annotated, then by name', () => {
    const fleet = new Fleet({ waves: NONE, canary });
    fleet.annotate('app-13', { [FIXED_ANNOTATIONS.canary]: 'true' });
    fleet.change();
    expect(waits(fleet, 'app-00')).toBe(
      'canary: Canary of ReloaderConfig shop/rules, step 1 of 2 (1 of 20): waits for Deployment shop/app-13 (about to begin)',
    );
    step(fleet);
    fleet.passes();
    expect(Object.keys(NONE).filter((name) => fleet.reloads(name).length > 0)).toEqual([
      'app-00',
      'app-01',
      'app-02',
      'app-03',
      'app-13',
    ]);
  });

  it('says until when a step bakes', () => {
    const fleet = new Fleet({ waves: NONE, canary });
    fleet.change();
    fleet.passes();
    endAll(fleet);
    const action = fleet.pass('app-19');
    expect(action).toMatchObject({ later: { why: 'canary', until: fleet.now + HOUR } });
  });

  it('stops at a failure, and a restart of the process changes nothing', () => {
    const fleet = new Fleet({ waves: NONE, canary });
    fleet.change();
    fleet.passes();
    fleet.end('app-00', 'failed');
    fleet.crash();
    fleet.now += 10 * HOUR;
    fleet.passes();
    expect(having(fleet)).toBe(1);
    expect(waits(fleet, 'app-01')).toMatch(/^failed-elsewhere/);
  });

  it('goes on with the next member where the outcome of one stays unknown', () => {
    const fleet = new Fleet({ waves: NONE, canary });
    fleet.change();
    fleet.passes();
    fleet.end('app-00', 'superseded');
    expect(step(fleet)).toBe(2);
    expect(fleet.reloads('app-01')).toEqual([1]);
    fleet.passes();
    expect(having(fleet), 'four more for 25%').toBe(6);
  });

  it('is not held up by a frozen member', () => {
    const fleet = new Fleet({ waves: NONE, canary });
    fleet.annotate('app-00', { [FIXED_ANNOTATIONS.freeze]: 'true' });
    fleet.change();
    expect(step(fleet)).toBe(1);
    expect(fleet.reloads('app-01')).toEqual([1]);
  });

  it('with another change in the middle repeats the first step alone', () => {
    const fleet = new Fleet({ waves: NONE, canary });
    fleet.change();
    expect([step(fleet), step(fleet)]).toEqual([1, 5]);
    fleet.change();
    expect(step(fleet)).toBe(1);
    fleet.passes();
    expect(having(fleet), 'the step that was reached is over').toBe(20);
  });

  it('starts again with a change after all have had the last one', () => {
    const fleet = new Fleet({ waves: NONE, canary });
    fleet.change();
    step(fleet);
    step(fleet);
    fleet.passes();
    endAll(fleet);
    fleet.change();
    expect([step(fleet), step(fleet)]).toEqual([1, 5]);
  });

  it('goes inside of each wave', () => {
    const waves = Object.fromEntries(names(20).map((name, index) => [name, index < 4 ? 0 : 1]));
    const fleet = new Fleet({ waves, canary: { steps: [{ count: 1 }], bakeMs: HOUR } });
    fleet.change();
    expect(step(fleet)).toBe(1);
    fleet.passes();
    expect(having(fleet)).toBe(4);
    endAll(fleet);
    fleet.passes();
    expect(having(fleet), 'the first of the second wave').toBe(5);
  });
});
