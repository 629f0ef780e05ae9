/**
 * Reports annotations under our domain that this version does not know: typing errors, or annotations of a newer
 * version. Without it a user would notice only that nothing happens.
 */
import {
  DEFAULT_ANNOTATIONS,
  FIXED_ANNOTATIONS,
  isNamed,
  isOurs,
  pausePeriodOf,
} from '../model/annotations.ts';
import { nearest } from '../model/nearest.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { Problem } from '../model/want.ts';
import { WORKLOAD_KINDS, type WorkloadFacts } from '../model/workload.ts';

type Names = ReloaderSettings['names'];
type Texts = Readonly<Record<string, string>>;

const ALWAYS_KNOWN: ReadonlySet<string> = new Set([
  ...Object.values(FIXED_ANNOTATIONS),
  ...WORKLOAD_KINDS.map(pausePeriodOf),
]);
/** Bounded, so that a user who may write one object cannot flood the log. */
export const MOST_TOLD = 10;
const LONGEST_NAME = 120;

export function unknownAnnotations(
  { annotations, templateAnnotations }: Pick<WorkloadFacts, 'annotations' | 'templateAnnotations'>,
  names: Names,
): Problem[] {
  const own = unknownOn(annotations, 'the workload', names);
  return [...own, ...unknownOn(templateAnnotations, 'its pod template', names, MOST_TOLD - own.length)];
}

/** For any object; `where` names it in the message. */
export function unknownOn(annotations: Texts, where: string, names: Names, most = MOST_TOLD): Problem[] {
  const problems: Problem[] = [];
  for (const name of Object.keys(annotations)) {
    // Checked before searching for the nearest known name: for thousands of annotations that would take seconds.
    if (problems.length === most) break;
    const message = whyUnknown(name, where, names);
    if (message !== undefined)
      problems.push({ field: name.slice(0, LONGEST_NAME), reason: 'UnknownAnnotation', message });
  }
  return problems;
}

/** A cheap check for any, without searching for the nearest known name. */
export function hasUnknown(annotations: Texts, names: Names): boolean {
  return Object.keys(annotations).some((name) => isUnknown(name, names));
}

function isUnknown(name: string, names: Names): boolean {
  return !ALWAYS_KNOWN.has(name) && !isNamed(name, names) && isOurs(name, names);
}

function whyUnknown(name: string, where: string, names: Names): string | undefined {
  if (!isUnknown(name, names)) return undefined;
  const [meant] = Object.entries(DEFAULT_ANNOTATIONS).find(([, usual]) => usual === name) ?? [];
  if (meant !== undefined) {
    return `the annotation on ${where} is not read: a flag of this operator gives it the name ${names[meant as keyof Names]}`;
  }
  const close = nearest(name, [...ALWAYS_KNOWN, ...Object.values(names)]);
  const hint = close
    ? `did you mean ${close}?`
    : 'a newer version may have it; take it away, or update the operator';
  return `the annotation on ${where} is not known to this version of the operator and has no effect: ${hint}`;
}
