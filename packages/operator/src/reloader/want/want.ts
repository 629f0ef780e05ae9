/**
 * Computes the wants of one workload: the sources it is opted in to by annotations and ReloaderConfigs, each once and
 * with its state, and how the workload is to be reloaded.
 *
 * In: the workload, the world, the settings. Out: a value that depends on the input alone, sorted by key whatever the
 * order of the world's lists. It never throws for invalid user input: that is reported as a problem and affects nothing
 * else.
 */

import { ledgerKey } from '../ledger/ledger.ts';
import type { ConfigFacts } from '../model/config.ts';
import { withConfigs } from '../model/policy.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { SourceRef } from '../model/source.ts';
import { sourceKey } from '../model/source.ts';
import type { SourceState } from '../model/source-facts.ts';
import type { Problem, Unwanted, Want, WantedSource } from '../model/want.ts';
import { isRunOfCronJob, type WorkloadFacts } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import {
  type AnnotatedWant,
  type AskedByAnnotation,
  askedByAnnotations,
  isAskedByAnnotations,
} from './annotated.ts';
import { askedByConfig, type ConfigOnTarget, configName, configsOn } from './config-match.ts';
import { containerFor, keysUsed } from './container.ts';
import { contentRulesFor } from './content-rules.ts';
import { keepingWant, knownWant } from './known-wants.ts';
import { MOST_SOURCES, usesOf } from './pod-uses.ts';
import { configPolicy } from './policy.ts';
import { referencedBy } from './references.ts';
import { standingRules } from './standing-rules.ts';
import { lastMetadataOf, type WantSubject, wantSubject } from './want-subject.ts';

/** `recorded`: keys of the sources in the workload's record. */
export function wantOf(
  workload: WorkloadFacts,
  world: World,
  settings: ReloaderSettings,
  recorded: Iterable<string> = [],
): Want {
  const keys = [...recorded];
  return (
    knownWant(workload, world, settings, keys) ??
    keepingWant(workload, world, settings, keys, (noting) => computeWant(workload, noting, settings, keys))
  );
}

/** The same as whether the want contains the source. Cheaper, because most workloads have no configs. */
export function isWanted(
  workload: WorkloadFacts,
  ref: SourceRef,
  world: World,
  settings: ReloaderSettings,
): boolean {
  const subject = wantSubject(workload, world, settings, []);
  if (configsOn(subject, world, settings).length > 0) {
    const key = sourceKey(ref);
    return wantOf(workload, world, settings).sources.some((source) => sourceKey(source.ref) === key);
  }
  if (isOutOfQuestion(workload, settings) || isWithoutAnnotations(workload, settings)) return false;
  return ref.namespace === subject.namespace && isAskedByAnnotations(subject, ref, world, settings);
}

function computeWant(
  workload: WorkloadFacts,
  world: World,
  settings: ReloaderSettings,
  recorded: readonly string[],
): Want {
  const subject = wantSubject(workload, world, settings, recorded);
  const configs = configsOn(subject, world, settings);
  const gathered = isOutOfQuestion(workload, settings)
    ? { annotated: nothingAsked(subject), byConfig: [] }
    : {
        annotated: isWithoutAnnotations(workload, settings)
          ? nothingAsked(subject)
          : askedByAnnotations(subject, world, settings),
        byConfig: configs.map((config) => ({
          config,
          want: askedByConfig(subject, config, world, settings),
        })),
      };
  const merged = merge(gathered.annotated, gathered.byConfig);
  const rules = standingRules(subject, world, settings);
  const byConfig = configs.map((config) => configPolicy(config, settings));
  const approving = new Set(byConfig.flatMap((each) => (each.approval === 'required' ? [each.config] : [])));
  const { sources, unused } = finish(
    subject,
    merged.asked,
    rules.keyLevel,
    settings,
    (names) => rules.approval || names.some((name) => approving.has(name)),
  );
  const { policy: own } = rules;
  const annotated = sources.some((source) => source.annotated);
  return {
    sources,
    unwanted: [...merged.unwanted, ...unused].sort(bySourceKey),
    configs: configs.map(({ config }) => config),
    policy: withConfigs(own, byConfig, annotated),
    policies: { own, byConfig },
    problems: [
      ...gathered.annotated.problems,
      ...rules.problems,
      ...byConfig.flatMap((each) => each.problems),
      ...rules.unknown,
      ...leftOut(subject),
    ],
  };
}

/** A template of maximum size names ten thousand sources; a record holds about 150. */
function leftOut({ pod }: WantSubject): readonly Problem[] {
  const { leftOut: count } = usesOf(pod);
  if (count === 0) return [];
  const message = `the pod template names more than ${MOST_SOURCES} sources: ${count} of them are not looked at`;
  return [{ field: 'spec.template.spec', reason: 'TooManySources', message }];
}

/** True for kinds that a flag excludes, and for Jobs of a CronJob. */
function isOutOfQuestion(workload: WorkloadFacts, { ignoredWorkloads }: ReloaderSettings): boolean {
  return ignoredWorkloads.has(workload.kind) || isRunOfCronJob(workload);
}

/** As in Stakater, annotations of a Rollout apply only with `--is-Argo-Rollouts=true`; ReloaderConfigs always do. */
function isWithoutAnnotations({ kind }: WorkloadFacts, { argoRollouts }: ReloaderSettings): boolean {
  return kind === 'Rollout' && !argoRollouts;
}

function nothingAsked({ pod, namespace }: WantSubject): AnnotatedWant {
  const unwanted = referencedBy(pod).map(
    ({ kind, name }): Unwanted => ({ ref: { kind, namespace, name }, rule: 'kind-ignored' }),
  );
  return { asked: [], unwanted, problems: [] };
}

interface Asked {
  readonly ref: SourceRef;
  readonly state: SourceState;
  readonly annotation: AskedByAnnotation | undefined;
  /** The oldest first. */
  readonly configs: readonly ConfigFacts[];
}

interface FromConfig {
  readonly config: ConfigOnTarget;
  readonly want: ReturnType<typeof askedByConfig>;
}

/** Each source once. It is wanted if annotations or any config want it; else the most specific reason is kept. */
function merge(
  annotated: AnnotatedWant,
  byConfig: readonly FromConfig[],
): { asked: Asked[]; unwanted: Unwanted[] } {
  const asked = new Map<string, Asked>();
  const unwanted = new Map<string, Unwanted>();
  for (const annotation of annotated.asked) {
    const { ref, state } = annotation;
    asked.set(sourceKey(ref), { ref, state, annotation, configs: [] });
  }
  for (const entry of annotated.unwanted) unwanted.set(sourceKey(entry.ref), entry);
  for (const { config, want } of byConfig) {
    for (const { ref, state } of want.asked) {
      const known = asked.get(sourceKey(ref));
      asked.set(sourceKey(ref), {
        ref,
        state,
        annotation: known?.annotation,
        configs: [...(known?.configs ?? []), config.config],
      });
    }
    for (const entry of want.unwanted) {
      const known = unwanted.get(sourceKey(entry.ref));
      if (!known || known.rule === 'not-selected') unwanted.set(sourceKey(entry.ref), entry);
    }
  }
  return {
    asked: [...asked.values()],
    unwanted: [...unwanted].filter(([key]) => !asked.has(key)).map(([, entry]) => entry),
  };
}

function finish(
  subject: WantSubject,
  asked: readonly Asked[],
  keyLevel: boolean,
  settings: ReloaderSettings,
  needsApproval: (configs: readonly string[]) => boolean,
): { sources: WantedSource[]; unused: Unwanted[] } {
  const { pod, namespace } = subject;
  const sources: WantedSource[] = [];
  const unused: Unwanted[] = [];
  for (const { ref, state, annotation, configs } of asked) {
    const isLocal = ref.namespace === namespace;
    const container =
      annotation?.container ?? (isLocal ? containerFor(pod, ref, false) : pod.containers[0]?.name);
    if (container === undefined) {
      unused.push({ ref, rule: 'not-used' });
      continue;
    }
    const keys = keyLevel && isLocal ? keysUsed(pod, ref) : undefined;
    // Its content appears with the first pod that mounts it, perhaps of this workload: only rotations count.
    const isMounted = ref.kind === 'SecretProviderClass';
    sources.push({
      ref,
      key: ledgerKey(ref, namespace),
      state,
      rule: annotation?.rule ?? 'config',
      configs: configs.map(configName),
      annotated: annotation !== undefined,
      from: annotation?.from,
      // A source that is named and not used by the pod is compared as a whole.
      keys: keys?.length === 0 ? undefined : keys,
      container,
      reloadOnCreate:
        !isMounted &&
        (configs.map((config) => config.reloadOnCreate).find(isSaid) ?? settings.reloadOnCreate),
      reloadOnDelete: configs.map((config) => config.reloadOnDelete).find(isSaid) ?? settings.reloadOnDelete,
      approval: needsApproval(configs.map(configName)),
      rules: contentRulesFor(ref, lastMetadataOf(state)?.annotations, configs),
    });
  }
  return { sources: sources.sort((a, b) => compareText(a.key, b.key)), unused };
}

const isSaid = (value: boolean | undefined): value is boolean => value !== undefined;

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function bySourceKey(a: Unwanted, b: Unwanted): number {
  return compareText(sourceKey(a.ref), sourceKey(b.ref));
}
