/** The status of a config: a pure function of the existing objects and the problems. */
import {
  type Condition,
  type ConditionUpdate,
  findCondition,
  removeCondition,
  setCondition,
} from '@reloader/runtime';
import type { PcmcFacts, PodConfigMapConfigStatus } from './model.ts';
import type { Summary } from './progress.ts';

export interface Counted extends Summary {
  readonly managedConfigMaps: number;
  /** ConfigMaps whose plain name is too long or was taken, sorted. */
  readonly otherNames: readonly string[];
}

export function statusOf(
  config: PcmcFacts,
  { matchedPods, managedConfigMaps, outstanding, otherNames, trouble: found, troubled }: Counted,
  now: number,
): PodConfigMapConfigStatus {
  const { generation, status: before } = config;
  const trouble = config.trouble ?? found;
  // Pods come and go all the time: a config stays Ready while the ConfigMaps of new pods are being written.
  const wasReady =
    before.observedGeneration === generation && findCondition(before.conditions, 'Ready')?.status === 'True';
  const ready = !trouble && (outstanding === 0 || wasReady);
  const more = !config.trouble && troubled > 1 ? ` (and ${troubled - 1} more)` : '';
  const text = trouble
    ? { reason: trouble.reason, message: `${trouble.message}${more}` }
    : ready
      ? {
          reason: 'Synced',
          message: `${count(managedConfigMaps, 'ConfigMap')} for ${count(matchedPods, 'pod')}${under(otherNames)}`,
        }
      : {
          reason: 'Reconciling',
          message: `${count(outstanding, 'pod')} ${outstanding === 1 ? 'is' : 'are'} being worked on`,
        };
  const state = ready ? 'ready' : trouble ? 'stalled' : 'reconciling';
  // A generation counts as observed only once it was carried out.
  const observed = ready ? generation : before.observedGeneration;
  return {
    conditions: conditionsOf(before.conditions, state, { ...text, observedGeneration: generation }, now),
    matchedPods,
    managedConfigMaps,
    ...(observed !== undefined && { observedGeneration: observed }),
  };
}

/**
 * Ready always; while it is False also `Stalled`, until a user changes something, or `Reconciling`, until the work is
 * done. kstatus, Flux and Argo CD distinguish failure from progress by these two.
 */
export function conditionsOf(
  before: readonly Condition[] | undefined,
  state: 'ready' | 'stalled' | 'reconciling',
  text: Pick<ConditionUpdate, 'reason' | 'message' | 'observedGeneration'>,
  now: number,
): Condition[] {
  const type = state === 'stalled' ? 'Stalled' : 'Reconciling';
  const gone = ['Stalled', 'Reconciling'].filter((each) => state === 'ready' || each !== type);
  const rest = removeCondition(before, ...gone);
  const ready = setCondition(
    rest,
    { ...text, type: 'Ready', status: state === 'ready' ? 'True' : 'False' },
    now,
  );
  if (state === 'ready') return ready;
  const both = setCondition(ready, { ...text, type, status: 'True' }, now);
  return both.sort((a, b) => Number(b.type === 'Ready') - Number(a.type === 'Ready'));
}

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;

const MOST_NAMED = 5;

/** Names the ConfigMaps that a user would not find under the plain name. */
function under(names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  const shown = names.slice(0, MOST_NAMED).join(', ');
  return `; under another name, because the usual one is too long or was taken: ${shown}${more}`;
}
