/**
 * What has to happen to one workload: nothing, a note in its ledger, or a reload. Pure: the two states, what we
 * remember, and, where a doubt is left, the ages of its pods.
 *
 * Guarantees: the same input gives the same decision; the order of the sources does not matter; a decision that was
 * carried out is followed by "nothing"; with `pods` given, it never asks for them. It never decides about a source
 * whose state is unknown. It does not decide when: that is scheduling.
 */

import { formatLedger, parseLedger } from '../ledger/ledger.ts';
import { withinLimit } from '../ledger/next.ts';
import { emptyMemory } from '../ledger/remember.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import { type Decision, isVerdict, type Verdict } from '../model/decision.ts';
import { baseOf, type Case } from './case.ts';
import { compare } from './compare.ts';
import { firstSight } from './first-sight.ts';
import type { DecideInput } from './input.ts';
import { returned } from './returned.ts';
import { unchanged } from './reverted.ts';
import { startOf } from './situation.ts';
import { weigh } from './weigh.ts';

export function decide(given: DecideInput): Decision {
  const { workload, want, settings, install } = given;
  const { uid } = workload.metadata;
  const parsed = parseLedger(workload.annotations[FIXED_ANNOTATIONS.ledger]);
  if (parsed.kind === 'newer') return { action: 'leave', version: parsed.version };
  const input = given.memory.uid === uid ? given : { ...given, memory: emptyMemory(uid) };
  const start = startOf(workload, parsed, input.memory, install.keyId);
  const undecided = whyUndecided(input);
  if (undecided) {
    const base = baseOf({ ...start, input, differences: [], tooManySources: [] });
    return { ...base, action: 'nothing', because: undecided, record: undefined, recordUrgent: false };
  }
  const found = compare(start.recorded, want.sources, {
    ignoreRecreated: settings.recreate === 'ignore',
    keyId: install.keyId,
    previousKeyId: install.previousKeyId,
  });
  const { differences, left } = withinLimit(start.recorded, found);
  const c: Case = { ...start, input, differences, tooManySources: left };
  if (!start.recorded) return firstSight(c);
  const decision = differences.some(({ reload }) => reload)
    ? weigh(c, start.recorded)
    : unchanged(c, start.recorded);
  return isVerdict(decision) ? returned(c, start.recorded, decision) : decision;
}

function whyUndecided({ workload, want, memory }: DecideInput): Verdict['because'] {
  const { namespace, resourceVersion } = workload.metadata;
  // Taken for an undone rollout or a vanished ledger, it would cost a request that the server must refuse.
  if (memory.ledger && memory.writtenOver === resourceVersion) {
    const standing = workload.annotations[FIXED_ANNOTATIONS.ledger];
    if (standing !== formatLedger(memory.ledger)) return 'write-not-seen';
  }
  const syncing = want.sources.some(
    ({ ref, state }) => state.kind === 'unknown' && state.syncing && ref.namespace === namespace,
  );
  return syncing ? 'not-in-sync' : undefined;
}
