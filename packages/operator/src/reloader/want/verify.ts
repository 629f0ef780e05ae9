/** Whether and how a reload is verified, as annotations of the workload or defaults of its Namespace say. */
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import { DEFAULT_VERIFY, MOST_RESTARTS, type Verify } from '../model/verify.ts';
import type { PolicyReader } from './policy-reader.ts';

/** Whatever cannot be read asks for it: somebody wanted it. */
export function annotatedVerify(reader: PolicyReader): Verify | undefined {
  const { verify, verifyTimeout, verifyStableFor, verifyMaxRestarts } = FIXED_ANNOTATIONS;
  const text = reader.word(verify, ['true', 'false'], 'reloads are verified');
  if (text === undefined || text === 'false') return undefined;
  return {
    timeoutMs: reader.duration(verifyTimeout) ?? DEFAULT_VERIFY.timeoutMs,
    stableForMs: reader.duration(verifyStableFor) ?? DEFAULT_VERIFY.stableForMs,
    maxRestarts: reader.count(verifyMaxRestarts, MOST_RESTARTS) ?? DEFAULT_VERIFY.maxRestarts,
  };
}
