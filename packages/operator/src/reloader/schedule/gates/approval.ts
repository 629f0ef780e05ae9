/** Approval: a user has to approve exactly this content. */
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import type { ScheduleInput, Warning } from '../types.ts';
import type { Gate } from './gate.ts';
import { settling } from './waits.ts';

export const approval: Gate = {
  why: 'approval',
  yieldsToNow: true,
  check(input) {
    const { change, workload, now } = input;
    if (!change.needsApproval || change.word !== undefined) return undefined;
    // While changes still come in, the next one gets another id.
    if ((settling.check(input)?.until ?? now) > now) return undefined;
    const { kind, metadata } = workload;
    const command = `reloader approve ${kind.toLowerCase()}/${metadata.name} -n ${metadata.namespace} --change ${change.id}`;
    return {
      until: undefined,
      message: `Waits for the approval of change ${change.id}: ${command}, or annotation ${FIXED_ANNOTATIONS.approve}: ${change.id} on the workload`,
    };
  },
};

/** Reported whichever gate holds the change: the user who approved expects a reload. */
export function approvedOther({ id, otherApproved }: ScheduleInput['change']): Warning[] {
  if (otherApproved === undefined) return [];
  const named = JSON.stringify(otherApproved.slice(0, LONGEST_QUOTE));
  const message = `${named} was approved, and ${id} is the change that waits: other content, or another reload`;
  return [{ event: 'ApprovalForOtherChange', message }];
}

const LONGEST_QUOTE = 20;
