/**
 * The writes for one pod: a pure comparison of the wanted and the existing ConfigMaps. Equal content needs no write; a
 * ConfigMap that is not provably ours is never touched.
 */
import type { DataOf } from './data.ts';
import type { GeneratedFacts, PcmcFacts, PodFacts, Trouble } from './model.ts';
import { firstChoice, hashedName, labelValueOf } from './names.ts';
import { contentDigest } from './project.ts';

export interface Wanted {
  readonly config: PcmcFacts;
  readonly name: string;
  readonly label: string;
  readonly data: Readonly<Record<string, string>>;
}

/**
 * The result for one pod and one config: `unselected`; `right`: up to date; `open`: work is left, or unknown because
 * the config itself cannot be used; or a problem.
 */
export type Outcome = 'unselected' | 'right' | 'open' | Trouble;

export interface Plan {
  readonly create: readonly Wanted[];
  readonly update: readonly { readonly wanted: Wanted; readonly existing: GeneratedFacts }[];
  readonly remove: readonly GeneratedFacts[];
  /** By config name, assuming that all writes of this plan succeed. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

export interface PlanInput {
  /** Undefined if it was deleted. */
  readonly pod: PodFacts | undefined;
  /** All configs of the namespace, the oldest first. */
  readonly configs: readonly PcmcFacts[];
  /** The ConfigMaps that were made for a pod of this name. */
  readonly existing: readonly GeneratedFacts[];
  /** Whether a ConfigMap that was generated for another pod has this name. */
  readonly takenByOther: (name: string) => boolean;
  /** The data for the pod by each config that is in use for it (`isInUse`). */
  readonly contents: ReadonlyMap<PcmcFacts, DataOf>;
}

/** Whether the config generates a ConfigMap for this pod. */
export function isInUse(config: PcmcFacts, pod: PodFacts): boolean {
  return reasonForNothing(config, pod) === undefined;
}

export function planFor({ pod, configs, existing, takenByOther, contents }: PlanInput): Plan {
  const keep = new Set<GeneratedFacts>();
  const create: Wanted[] = [];
  const update: { wanted: Wanted; existing: GeneratedFacts }[] = [];
  const outcomes = new Map<string, Outcome>();
  for (const config of pod ? configs : []) {
    const mine = existing.filter((each) => isFor(each, pod as PodFacts, config));
    const wanted = wantedFor(pod as PodFacts, config, mine, takenByOther, contents.get(config));
    outcomes.set(config.metadata.name, outcomeOf(wanted));
    if (wanted === 'unselected') continue;
    // While the wanted content is unknown, the existing ConfigMap stays. So does that of a pod that is being deleted:
    // the garbage collector removes it by its owner reference.
    if (typeof wanted === 'string' || 'reason' in wanted) {
      for (const each of mine) keep.add(each);
      continue;
    }
    const found = mine.find(({ metadata }) => metadata.name === wanted.name);
    if (!found) create.push(wanted);
    else {
      keep.add(found);
      // A foreign finalizer may hold it: the event of its deletion requeues the pod.
      if (found.deleting) outcomes.set(config.metadata.name, 'open');
      else if (found.digest !== wantedDigest(pod as PodFacts, wanted))
        update.push({ wanted, existing: found });
    }
  }
  const remove = existing.filter((each) => each.proven && !each.deleting && !keep.has(each));
  return { create, update, remove, outcomes };
}

/**
 * Whether we made it for this pair: it has the pair's name, and the pod as its controller or both of our labels. A user
 * may have removed either; a user's own ConfigMap of that name has neither.
 */
export function isFor(
  { metadata: { name }, config: label, podUid, owner }: GeneratedFacts,
  { metadata: { name: pod } }: PodFacts,
  { metadata: { name: config } }: PcmcFacts,
): boolean {
  if (name !== firstChoice(pod, config) && name !== hashedName(pod, config)) return false;
  return owner === pod || (owner === undefined && podUid !== '' && label === labelValueOf(config));
}

/**
 * Why nothing is generated: not selected; unknown (the selector or the config cannot be used); the pod is being
 * deleted.
 */
type Nothing = 'unselected' | 'unreadable' | 'unusable' | 'ends';

function outcomeOf(wanted: Wanted | Trouble | Nothing): Outcome {
  if (wanted === 'unusable') return 'open';
  if (typeof wanted === 'string') return 'unselected';
  return 'reason' in wanted ? wanted : 'right';
}

function reasonForNothing(config: PcmcFacts, pod: PodFacts): Nothing | undefined {
  if (config.deleting) return 'unselected';
  if (!config.selector) return 'unreadable';
  if (!config.selector.matches(pod.labels)) return 'unselected';
  if (pod.deleting) return 'ends';
  // The config's own status reports its mistake; here the wanted content is unknown, so nothing is done.
  return config.trouble ? 'unusable' : undefined;
}

function wantedFor(
  pod: PodFacts,
  config: PcmcFacts,
  mine: readonly GeneratedFacts[],
  takenByOther: (name: string) => boolean,
  content: DataOf | undefined,
): Wanted | Trouble | Nothing {
  const nothing = reasonForNothing(config, pod);
  if (nothing !== undefined || content === undefined) return nothing ?? 'unusable';
  if ('trouble' in content) return content.trouble;
  const label = labelValueOf(config.metadata.name);
  return { config, name: chooseName(pod, config, mine, takenByOther), label, data: content.data };
}

/** An existing name is kept; the first pair that asks gets the plain name. */
function chooseName(
  { metadata: { name: pod } }: PodFacts,
  { metadata: { name: config } }: PcmcFacts,
  mine: readonly GeneratedFacts[],
  takenByOther: (name: string) => boolean,
): string {
  const plain = firstChoice(pod, config);
  const has = (name: string): boolean => mine.some(({ metadata }) => metadata.name === name);
  if (plain !== undefined && has(plain)) return plain;
  // An existing ConfigMap without the plain name has the hashed one.
  if (plain === undefined || mine.length > 0 || takenByOther(plain)) return hashedName(pod, config);
  return plain;
}

export function wantedDigest(pod: PodFacts, { label, data }: Wanted): string {
  const { name, uid } = pod.metadata;
  return contentDigest({
    data,
    config: label,
    podUid: uid,
    owners: [['v1', 'Pod', name, uid, true, true].join('/')],
  });
}
