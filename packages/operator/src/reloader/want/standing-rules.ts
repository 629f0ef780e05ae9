/**
 * The rules that annotations of a workload and its Namespaces set, read once for all workloads with the same annotations.
 *
 * In: the subject of a want. Out: its rules of opting in, its policy and the problems of both. A thousand workloads of a
 * chart have the same annotations, and after a reload a workload differs in nothing but the operator's own records, so
 * the texts are the key. Guarantees: the rules equal those that would be read now. They depend on nothing but the kind,
 * the Namespaces of the workload and of the operator, the settings and those texts; long texts are read every time.
 */
import { FIXED_ANNOTATIONS, isNamed } from '../model/annotations.ts';
import { APPROVALS } from '../model/config.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import { SOURCE_KINDS, type SourceKind } from '../model/source.ts';
import type { Policy, Problem } from '../model/want.ts';
import type { NamespaceFacts, World } from '../model/world.ts';
import { type OptInForKind, type OptInSubject, optInFor } from './opt-in.ts';
import { ownPolicy } from './policy.ts';
import { createPolicyReader } from './policy-reader.ts';
import { unknownAnnotations } from './unknown-annotations.ts';
import type { WantSubject } from './want-subject.ts';

export interface StandingRules {
  readonly optIn: Readonly<Record<SourceKind, OptInForKind>>;
  /** Only the keys that the pod uses count. */
  readonly keyLevel: boolean;
  readonly approval: boolean;
  readonly policy: Policy;
  /** Without those of the lists by name and kind filters. */
  readonly problems: readonly Problem[];
  /** Annotations that this version does not know. */
  readonly unknown: readonly Problem[];
}

interface Known {
  readonly namespace: NamespaceFacts | undefined;
  readonly operatorNamespace: NamespaceFacts | undefined;
  readonly rules: StandingRules;
}

const MOST_KNOWN = 500;
const LONGEST_KEY = 1_000;

const known = new WeakMap<ReloaderSettings, Map<string, Known>>();

export function standingRules(subject: WantSubject, world: World, settings: ReloaderSettings): StandingRules {
  const namespace = world.namespace(subject.namespace);
  const operatorNamespace = world.namespace(settings.operatorNamespace);
  const key = keyOf(subject, settings);
  if (key === undefined) return readRules(subject, world, settings);
  const ofSettings = known.get(settings) ?? new Map<string, Known>();
  known.set(settings, ofSettings);
  const before = ofSettings.get(key);
  if (before && before.namespace === namespace && before.operatorNamespace === operatorNamespace)
    return before.rules;
  if (ofSettings.size >= MOST_KNOWN) ofSettings.clear();
  const rules = readRules(subject, world, settings);
  ofSettings.set(key, { namespace, operatorNamespace, rules });
  return rules;
}

/** Undefined if the texts are too long to be kept. */
function keyOf({ workload, namespace }: WantSubject, settings: ReloaderSettings): string | undefined {
  let key = `${workload.kind}\n${namespace}`;
  for (const texts of [workload.annotations, workload.templateAnnotations]) {
    key += '\n';
    for (const name of Object.keys(texts)) {
      const value = isRecord(name, settings) ? '' : (texts[name] ?? '');
      // With the length of the text: a text may contain anything, also what looks like the next name.
      key += `\n${name}\n${value.length}\n${value}`;
      if (key.length > LONGEST_KEY) return undefined;
    }
  }
  return key;
}

const RECORDS: ReadonlySet<string> = new Set([
  FIXED_ANNOTATIONS.ledger,
  FIXED_ANNOTATIONS.rolled,
  FIXED_ANNOTATIONS.lastReloadedFrom,
  FIXED_ANNOTATIONS.lastReload,
  FIXED_ANNOTATIONS.restarting,
]);

/** The operator's own records change with every reload and say nothing about the wishes of a user. */
function isRecord(name: string, { names }: ReloaderSettings): boolean {
  return RECORDS.has(name) && !isNamed(name, names);
}

function readRules(subject: WantSubject, world: World, settings: ReloaderSettings): StandingRules {
  const { workload, defaults } = subject;
  const places: OptInSubject = {
    workload: workload.annotations,
    template: workload.templateAnnotations,
    namespace: defaults,
  };
  const optIn = Object.fromEntries(SOURCE_KINDS.map((kind) => [kind, optInFor(places, kind, settings)]));
  const keyLevel = readKeyLevel(subject, settings);
  const approval = readApproval(subject);
  const { policy, problems } = ownPolicy(subject, world, settings);
  return {
    optIn: optIn as StandingRules['optIn'],
    keyLevel: keyLevel.used,
    approval: approval.required,
    policy,
    problems: [...keyLevel.problems, ...approval.problems, ...problems],
    unknown: unknownAnnotations(workload, settings.names),
  };
}

/** An invalid value requires approval, because a user wanted it. */
function readApproval(subject: WantSubject): { required: boolean; problems: readonly Problem[] } {
  const reader = createPolicyReader(subject);
  const text = reader.word(FIXED_ANNOTATIONS.approval, APPROVALS, 'approval is required');
  return { required: text !== undefined && text !== 'none', problems: reader.problems };
}

function readKeyLevel(
  subject: WantSubject,
  { keyLevel }: ReloaderSettings,
): { used: boolean; problems: readonly Problem[] } {
  const reader = createPolicyReader(subject);
  const otherwise = keyLevel ? 'the keys in use count' : 'all keys count';
  const text = reader.word(FIXED_ANNOTATIONS.keys, ['used', 'all'], otherwise);
  const used = text === 'used' ? true : text === 'all' ? false : keyLevel;
  return { used, problems: reader.problems };
}
