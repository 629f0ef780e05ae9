/**
 * What has to be written for one pod: a pure comparison of what should exist with what does. Equal content costs
 * nothing; what is not provably ours is never touched.
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
 * How it stands with one pod and one config: `unselected`; `right`; `open` while something is still to be done, or is
 * not known because the config itself cannot be used; or what is wrong.
 */
export type Outcome = 'unselected' | 'right' | 'open' | Trouble;

export interface Plan {
  readonly create: readonly Wanted[];
  readonly update: readonly { readonly wanted: Wanted; readonly existing: GeneratedFacts }[];
  readonly remove: readonly GeneratedFacts[];
  /** By the name of the config, as it stands when all of this is written. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

export interface PlanInput {
  /** Undefined when it is gone. */
  readonly pod: PodFacts | undefined;
  /** Of its namespace, the oldest first. */
  readonly configs: readonly PcmcFacts[];
  /** Those that were made for this pod's name. */
  readonly existing: readonly GeneratedFacts[];
  /** Whether a name is taken by something generated for another pod. */
  readonly takenByOther: (name: string) => boolean;
  /** What each config that is in use for the pod (`isInUse`) makes of it. */
  readonly contents: ReadonlyMap<PcmcFacts, DataOf>;
}

/** Whether something is to be made of this pod. */
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
    // While it is not known what should stand there, what stands there stays. So does that of a pod that ends:
    // its owner reference takes it along.
    if (typeof wanted === 'string' || 'reason' in wanted) {
      for (const each of mine) keep.add(each);
      continue;
    }
    const found = mine.find(({ metadata }) => metadata.name === wanted.name);
    if (!found) create.push(wanted);
    else {
      keep.add(found);
      // Somebody else's finalizer may hold it: its deletion will bring us back.
      if (found.deleting) outcomes.set(config.metadata.name, 'open');
      else if (found.digest !== wantedDigest(pod as PodFacts, wanted))
        update.push({ wanted, existing: found });
    }
  }
  const remove = existing.filter((each) => each.proven && !each.deleting && !keep.has(each));
  return { create, update, remove, outcomes };
}

/**
 * Whether we made it for this pair: it has the pair's name, and the pod as its controller or both of our labels.
 * Either may have been edited away; somebody's own ConfigMap of that name has neither.
 */
export function isFor(
  { metadata: { name }, config: label, podUid, owner }: GeneratedFacts,
  { metadata: { name: pod } }: PodFacts,
  { metadata: { name: config } }: PcmcFacts,
): boolean {
  if (name !== firstChoice(pod, config) && name !== hashedName(pod, config)) return false;
  return owner === pod || (owner === undefined && podUid !== '' && label === labelValueOf(config));
}

/** Why nothing is wanted: not selected; nothing is known (the config cannot be used); the pod ends. */
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
  // The config itself says what is wrong with it; here nothing is known, so nothing is done.
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

/** A name once given is kept; the plain one goes to whoever came first. */
function chooseName(
  { metadata: { name: pod } }: PodFacts,
  { metadata: { name: config } }: PcmcFacts,
  mine: readonly GeneratedFacts[],
  takenByOther: (name: string) => boolean,
): string {
  const plain = firstChoice(pod, config);
  const has = (name: string): boolean => mine.some(({ metadata }) => metadata.name === name);
  if (plain !== undefined && has(plain)) return plain;
  // What is there under no plain name has the hashed one.
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
