/**
 * The sources that a workload asks for by its annotations. Candidates are the sources that its template, its lists or
 * its ledger name; all sources of the namespace are candidates only if a list contains expressions.
 */
import type { ReloaderSettings } from '../model/settings.ts';
import type { SourceKind, SourceRef } from '../model/source.ts';
import { SOURCE_KINDS, sourceKey } from '../model/source.ts';
import type { SourceState } from '../model/source-facts.ts';
import type { OptInPlace, Problem, Unwanted, WantRule } from '../model/want.ts';
import type { World } from '../model/world.ts';
import { containerFor } from './container.ts';
import type { OptInForKind } from './opt-in.ts';
import { referencedBy } from './references.ts';
import { standingRules } from './standing-rules.ts';
import { lastMetadataOf, ruledOut, type WantSubject } from './want-subject.ts';

export interface AskedByAnnotation {
  readonly ref: SourceRef;
  readonly state: SourceState;
  readonly rule: WantRule;
  readonly container: string;
  readonly from: OptInPlace;
}

export interface AnnotatedWant {
  readonly asked: readonly AskedByAnnotation[];
  readonly unwanted: readonly Unwanted[];
  readonly problems: readonly Problem[];
}

export function askedByAnnotations(
  subject: WantSubject,
  world: World,
  settings: ReloaderSettings,
): AnnotatedWant {
  const { optIn } = standingRules(subject, world, settings);
  const asked: AskedByAnnotation[] = [];
  const unwanted: Unwanted[] = [];
  // The kind filter is read once for each kind; its problem is reported only once.
  const problems = new Map<string, Problem>();
  for (const kind of SOURCE_KINDS) {
    const rules = optIn[kind];
    for (const problem of rules.problems) problems.set(`${problem.field} ${problem.message}`, problem);
    for (const ref of candidates(subject, kind, rules, world)) {
      const verdict = judge(subject, ref, rules, world, settings);
      if ('container' in verdict) asked.push(verdict);
      else unwanted.push(verdict);
    }
  }
  return { asked, unwanted, problems: [...problems.values()] };
}

/** Whether the annotations ask for this one source of the workload's namespace, without looking at any other. */
export function isAskedByAnnotations(
  subject: WantSubject,
  ref: SourceRef,
  world: World,
  settings: ReloaderSettings,
): boolean {
  const rules = standingRules(subject, world, settings).optIn[ref.kind];
  const verdict = judge(subject, ref, rules, world, settings);
  if (!('container' in verdict)) return false;
  const { list } = rules;
  if (list.names.includes(ref.name)) return true;
  if (referencedBy(subject.pod).some(({ kind, name }) => kind === ref.kind && name === ref.name)) return true;
  // An expression matches only sources that exist.
  return list.hasPatterns && verdict.state.kind === 'present';
}

function judge(
  subject: WantSubject,
  ref: SourceRef,
  rules: OptInForKind,
  world: World,
  settings: ReloaderSettings,
): AskedByAnnotation | Unwanted {
  const state = world.source(ref);
  const out = ruledOut(ref, state, settings);
  if (out) return { ref, rule: out };
  // The annotations of a source that is gone or unreadable may be unknown; a recorded source had matched.
  const proven = rules.searches && subject.recorded().has(sourceKey(ref));
  const unknown = proven ? { [settings.names.match]: 'true' } : {};
  const verdict = rules.decide({
    name: ref.name,
    annotations: lastMetadataOf(state)?.annotations ?? unknown,
  });
  if (!verdict.reload) return { ref, rule: verdict.rule };
  const container = containerFor(subject.pod, ref, verdict.mustUse);
  const { rule, from } = verdict;
  return container === undefined ? { ref, rule: 'not-used' } : { ref, state, rule, container, from };
}

function candidates(
  { pod, namespace, recorded }: WantSubject,
  kind: SourceKind,
  { list }: OptInForKind,
  world: World,
): Iterable<SourceRef> {
  const names = new Set(list.names);
  for (const used of referencedBy(pod)) if (used.kind === kind) names.add(used.name);
  if (list.hasPatterns) {
    for (const { metadata } of world.sourcesIn(namespace, kind))
      if (list.matches(metadata.name)) names.add(metadata.name);
    // A deleted source that an expression had matched is in no cache, only in the record.
    for (const ref of recorded().values())
      if (ref.kind === kind && ref.namespace === namespace && list.matches(ref.name)) names.add(ref.name);
  }
  return [...names].map((name) => ({ kind, namespace, name }));
}
