/** Whether and how a reload is verified, by annotations of the workload, defaults of its Namespace or the flag. */
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { ConfigFacts } from '../model/config.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import {
  DEFAULT_VERIFY,
  MOST_RESTARTS,
  ON_FAILURE,
  type OnFailure,
  type Verify,
  type VerifyPolicy,
} from '../model/verify.ts';
import { parseWorkloadKey } from '../model/workload.ts';
import { membersOf } from './budgets.ts';
import type { PolicyReader } from './policy-reader.ts';

/** An invalid value turns verification on, because a user wanted it. */
export function annotatedVerify(
  reader: PolicyReader,
  namespace: string,
  { verify: byDefault }: Pick<ReloaderSettings, 'verify'>,
): VerifyPolicy | undefined {
  const { verify, verifyTimeout, verifyStableFor, verifyMaxRestarts } = FIXED_ANNOTATIONS;
  const text = reader.word(verify, ['true', 'false'], 'reloads are verified');
  if (text === 'false' || (text === undefined && !byDefault)) return undefined;
  return {
    timeoutMs: reader.duration(verifyTimeout) ?? DEFAULT_VERIFY.timeoutMs,
    stableForMs: reader.duration(verifyStableFor) ?? DEFAULT_VERIFY.stableForMs,
    maxRestarts: reader.count(verifyMaxRestarts, MOST_RESTARTS) ?? DEFAULT_VERIFY.maxRestarts,
    isPeer: (key) => isIn(namespace, key),
  };
}

/** With an invalid value no source is restored. */
export function annotatedOnFailure(reader: PolicyReader): OnFailure {
  const text = reader.word(FIXED_ANNOTATIONS.onFailure, ON_FAILURE, 'nothing is put back');
  return text === 'restore' ? 'restore' : 'hold';
}

/** The verification that a config asks for, for a workload in this namespace. */
export function verifyOfConfig(
  verify: Verify | undefined,
  config: ConfigFacts,
  namespace: string,
): VerifyPolicy | undefined {
  if (!verify) return undefined;
  return { ...verify, isPeer: (key) => isIn(namespace, key) || membersOf(config).has(key) };
}

function isIn(namespace: string, key: string): boolean {
  return parseWorkloadKey(key).namespace === namespace;
}
