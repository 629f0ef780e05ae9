/** Whether the contents to be rolled out satisfy their rules, as far as they were checked. Pure. */

import type { ContentQuestion, VerdictOf } from '../model/content-rule.ts';
import type { Verdict } from '../model/decision.ts';
import type { Want } from '../model/want.ts';
import type { InvalidContent } from '../schedule/types.ts';

export interface Contents {
  readonly invalid: readonly InvalidContent[];
  /** Contents that were not checked yet. */
  readonly unchecked: readonly ContentQuestion[];
}

const NOTHING: Contents = { invalid: [], unchecked: [] };

/** Only changed sources are checked: holding back a rollout does not help against a content that already runs. */
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
