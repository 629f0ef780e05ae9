/** Whether what is to be rolled out is what its rules ask for, as far as anybody has looked. Pure. */

import type { ContentQuestion, VerdictOf } from '../model/content-rule.ts';
import type { Verdict } from '../model/decision.ts';
import type { Want } from '../model/want.ts';
import type { InvalidContent } from '../schedule/types.ts';

export interface Contents {
  readonly invalid: readonly InvalidContent[];
  /** Nobody has looked at these. */
  readonly unchecked: readonly ContentQuestion[];
}

const NOTHING: Contents = { invalid: [], unchecked: [] };

/** Only of sources that changed: what runs already is not held back by holding back its rollout. */
export function contentsOf(
  { differences }: Verdict,
  { sources }: Want,
  known: VerdictOf | undefined,
): Contents {
  const ruled = sources.filter(({ rules }) => rules.length > 0);
  if (ruled.length === 0 || !known) return NOTHING;
  const changed = new Set(differences.flatMap(({ key, reload }) => (reload ? [key] : [])));
  const invalid: InvalidContent[] = [];
  const unchecked: ContentQuestion[] = [];
  for (const { ref, key, state, rules } of ruled) {
    if (!changed.has(key) || state.kind !== 'present') continue;
    const question = { ref, digest: state.facts.digest, rules };
    const verdict = known(question);
    if (!verdict) unchecked.push(question);
    else if (verdict.findings.length > 0) invalid.push({ source: ref, findings: verdict.findings });
  }
  return { invalid, unchecked };
}
