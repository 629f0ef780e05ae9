/**
 * Decides about one workload: nothing, a record without a rollout, or a reload. Pure: it compares the two states, uses
 * what this process remembers and, where a doubt is left, the ages of the pods.
 *
 * Guarantees: the same input gives the same decision; the order of the sources does not matter; a decision that was
 * carried out is followed by "nothing"; with `pods` given, it never asks for them. It never decides about a source
 * whose state is unknown. It does not decide when to reload: that is scheduling.
 */

import { withinLimit } from '../ledger/next.ts';
import { emptyMemory } from '../ledger/remember.ts';
import type { AskPods, Verdict } from '../model/decision.ts';
import { type Case, headerOf } from './case.ts';
import { decideChanged } from './changed-sources.ts';
import { compare } from './compare.ts';
import { createdAnew } from './created-anew.ts';
import { firstSight } from './first-sight.ts';
import type { DecideInput } from './input.ts';
import { isAfterOptIn } from './opt-in-times.ts';
import { returned } from './returned.ts';
import { unchanged } from './reverted.ts';

export function decide(given: DecideInput): Verdict | AskPods {
  const { workload, want, record, settings, install } = given;
  const { uid } = workload.metadata;
  const input = given.memory.uid === uid ? given : { ...given, memory: emptyMemory(uid) };
  const { situation, recorded, standing } = record;
  const start = { situation, recorded, standing, input };
  const undecided = whyUndecided(input);
  if (undecided) {
    const header = headerOf({ ...start, differences: [], tooManySources: [] });
    return { ...header, action: 'nothing', because: undecided, record: undefined, recordUrgent: false };
  }
  const found = compare(recorded, want.sources, {
    ignoreRecreated: settings.recreate === 'ignore',
    keyId: install.keyId,
    previousKeyId: install.previousKeyId,
    isAfterOptIn: (source) => isAfterOptIn(source, input),
  });
  const { differences, left } = withinLimit(recorded, found);
  const c: Case = { ...start, differences, tooManySources: left };
  if (!recorded) return firstSight(c);
  if (situation === 'recreated') return createdAnew(c);
  const isOpen = differences.some(({ reload, incomparable }) => reload || incomparable);
  const decision = isOpen ? decideChanged(c, recorded) : unchanged(c, recorded);
  return decision.action === 'ask-pods' ? decision : returned(c, recorded, decision);
}

function whyUndecided({ workload, want, memory, record }: DecideInput): Verdict['because'] {
  const { namespace, resourceVersion } = workload.metadata;
  // Our last write is not in the cache yet. Treating that as an undone rollout or a lost ledger would lead to a PATCH
  // that the server refuses.
  if (memory.ledger && memory.writtenOver === resourceVersion && memory.base !== record.base) {
    return 'write-not-seen';
  }
  const syncing = want.sources.some(
    ({ ref, state }) => state.kind === 'unknown' && state.syncing && ref.namespace === namespace,
  );
  return syncing ? 'not-in-sync' : undefined;
}
