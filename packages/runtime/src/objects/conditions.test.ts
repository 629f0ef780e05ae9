import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Condition } from '../model/types.ts';
import {
  ConditionError,
  type ConditionUpdate,
  findCondition,
  isConditionTrue,
  markReady,
  markReconciling,
  markStalled,
  phaseOf,
  removeCondition,
  setCondition,
} from './conditions.ts';

const T0 = Date.UTC(2030, 0, 1);
const LATER = T0 + 60_000;

const ready = (status: ConditionUpdate['status'], reason = 'Because', message = ''): ConditionUpdate => ({
  type: 'Ready',
  status,
  reason,
  message,
});

test('a new condition carries the time at which it was set, in whole seconds', () => {
  expect(setCondition(undefined, { ...ready('True'), observedGeneration: 3 }, T0 + 999)).toEqual([
    {
      type: 'Ready',
      status: 'True',
      reason: 'Because',
      message: '',
      lastTransitionTime: '2030-01-01T00:00:00Z',
      observedGeneration: 3,
    },
  ]);
});

test('lastTransitionTime stays while only reason, message or generation change', () => {
  const first = setCondition([], ready('False', 'Starting'), T0);
  const second = setCondition(
    first,
    { ...ready('False', 'Waiting', 'for pods'), observedGeneration: 7 },
    LATER,
  );
  expect(second[0]).toMatchObject({
    reason: 'Waiting',
    message: 'for pods',
    observedGeneration: 7,
    lastTransitionTime: '2030-01-01T00:00:00Z',
  });
});

test('lastTransitionTime moves when the status changes', () => {
  const conditions = setCondition(setCondition([], ready('False'), T0), ready('True'), LATER);
  expect(conditions[0]?.lastTransitionTime).toBe('2030-01-01T00:01:00Z');
});

test('a report without a generation does not keep the old one', () => {
  const first = setCondition([], { ...ready('True'), observedGeneration: 3 }, T0);
  expect(setCondition(first, ready('True'), T0)[0]).not.toHaveProperty('observedGeneration');
});

test('the input list is left alone', () => {
  const before = Object.freeze(setCondition([], ready('False'), T0));
  setCondition(before, ready('True'), LATER);
  removeCondition(before, 'Ready');
  expect(before[0]?.status).toBe('False');
});

test.each<[Partial<ConditionUpdate>, string]>([
  [{ reason: '' }, 'has reason ""'],
  [{ reason: 'notCamel' }, 'has reason "notCamel": it must be one CamelCase word'],
  [{ reason: 'Two Words' }, 'has reason "Two Words"'],
  [{ reason: 'Trailing:' }, 'has reason "Trailing:"'],
  [{ reason: 'X'.repeat(1025) }, 'it must be one CamelCase word'],
  [{ type: '' }, 'Condition type "" is not valid'],
  [{ type: 'With Space' }, 'Condition type "With Space" is not valid'],
  [{ status: 'true' as 'True' }, 'has status "true"'],
])('%j is refused', (change, message) => {
  const attempt = () => setCondition([], { ...ready('True'), ...change }, T0);
  expect(attempt).toThrow(ConditionError);
  expect(attempt).toThrow(message);
});

test.each(['DeploymentFailed', 'A', 'With_Underscore', 'HTTP404:Gone2'])(
  'reason %s is accepted',
  (reason) => {
    expect(setCondition([], ready('True', reason), T0)).toHaveLength(1);
  },
);

test.each(['Ready', 'example.com/Synced', 'PodsReady'])('type %s is accepted', (type) => {
  expect(setCondition([], { ...ready('True'), type }, T0)).toHaveLength(1);
});

test('a message of 32 768 bytes stays, a longer one is cut to fit and says so', () => {
  const fits = 'x'.repeat(32_768);
  expect(setCondition([], ready('True', 'A', fits), T0)[0]?.message).toBe(fits);
  const cut = setCondition([], ready('True', 'A', `${fits}y`), T0)[0]?.message ?? '';
  expect(cut).toHaveLength(32_768);
  expect(cut.endsWith('xx...')).toBe(true);
});

test('cutting never splits a character and never exceeds the limit', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 8 }), fc.constantFrom('é', '€', '😀', 'a😀'), (lead, unit) => {
      const message = 'x'.repeat(lead) + unit.repeat(40_000);
      const cut = setCondition([], ready('True', 'A', message), T0)[0]?.message ?? '';
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(32_768);
      expect(Buffer.byteLength(cut)).toBeGreaterThan(32_768 - 8);
      expect(cut).not.toContain('\ufffd');
    }),
    { numRuns: 30 },
  );
});

test('Stalled, Reconciling and Ready come first, the rest in the order of arrival', () => {
  const types = ['Zeta', 'Ready', 'Alpha', 'Stalled', 'Reconciling'];
  const list = types.reduce<Condition[]>(
    (all, type) => setCondition(all, { ...ready('True'), type }, T0),
    [],
  );
  expect(list.map(({ type }) => type)).toEqual(['Stalled', 'Reconciling', 'Ready', 'Zeta', 'Alpha']);
});

test('find, isTrue and remove work on what is there and on what is not', () => {
  const list = setCondition([], ready('True'), T0);
  expect(findCondition(list, 'Ready')?.status).toBe('True');
  expect(findCondition(undefined, 'Ready')).toBeUndefined();
  expect(isConditionTrue(list, 'Ready')).toBe(true);
  expect(isConditionTrue(list, 'Other')).toBe(false);
  expect(isConditionTrue(setCondition([], ready('Unknown'), T0), 'Ready')).toBe(false);
  expect(removeCondition(list, 'Ready', 'Other')).toEqual([]);
  expect(removeCondition(undefined, 'Ready')).toEqual([]);
});

const brief = (list: readonly Condition[]) => list.map(({ type, status }) => `${type}=${status}`);

test('the marks follow kstatus: Reconciling and Stalled exclude each other, Ready excludes both', () => {
  const text = { reason: 'Why', message: 'so' };
  const working = markReconciling([], text, T0);
  expect(brief(working)).toEqual(['Reconciling=True', 'Ready=Unknown']);
  const stuck = markStalled(working, text, T0);
  expect(brief(stuck)).toEqual(['Stalled=True', 'Ready=False']);
  expect(brief(markReconciling(stuck, text, T0))).toEqual(['Reconciling=True', 'Ready=Unknown']);
  expect(brief(markReady(stuck, text, T0))).toEqual(['Ready=True']);
  expect(brief(markReady(working, text, T0))).toEqual(['Ready=True']);
});

test.each<[ConditionUpdate['status'] | undefined, string]>([
  ['True', 'Ready'],
  ['False', 'Progressing'],
  ['Unknown', 'Progressing'],
  [undefined, 'Progressing'],
])('Ready=%s gives phase %s', (status, phase) => {
  expect(phaseOf(status && setCondition([], ready(status), T0))).toBe(phase);
});

test('a stalled object is not said to progress', () => {
  expect(phaseOf(markStalled([], { reason: 'Why', message: 'so' }, T0))).toBe('Stalled');
});
