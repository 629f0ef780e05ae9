/**
 * What has to be written for one pod: a pure comparison of what should exist with what does. Equal content costs
 * nothing; what is not provably ours is never touched.
 */
import { dataOf } from './data.ts';
import type { GeneratedFacts, PcmcFacts, PodFacts, Trouble } from './model.ts';
import { firstChoice, hashedName, labelValueOf } from './names.ts';
import { contentDigest } from './project.ts';

export interface Wanted {
  readonly config: PcmcFacts;
  readonly name: string;
  readonly label: string;
  readonly data: Readonly<Record<string, string>>;
}

export interface Plan {
  readonly create: readonly Wanted[];
  readonly update: readonly { readonly wanted: Wanted; readonly existing: GeneratedFacts }[];
  readonly remove: readonly GeneratedFacts[];
  /** By the name of the config. */
  readonly troubles: ReadonlyMap<string, Trouble>;
}

export interface PlanInput {
  /** Undefined when it is gone. */
  readonly pod: PodFacts | undefined;
  /** Of its namespace, the oldest first. */
  readonly configs: readonly PcmcFacts[];
  /** Those whose owner reference names this pod's name. */
  readonly existing: readonly GeneratedFacts[];
  /** Whether a name is taken by something generated for another pair. */
  readonly takenByOther: (name: string) => boolean;
}

export function planFor({ pod, configs, existing, takenByOther }: PlanInput): Plan {
  const live = existing.filter(({ deleting, pod: owner }) => !deleting && owner !== undefined);
  const troubles = new Map<string, Trouble>();
  // A pod that ends keeps what it has: its owner reference takes it along.
  if (pod?.deleting) return { create: [], update: [], remove: [], troubles };
  const keep = new Set<GeneratedFacts>();
  const create: Wanted[] = [];
  const update: { wanted: Wanted; existing: GeneratedFacts }[] = [];
  for (const config of pod ? configs : []) {
    const label = labelValueOf(config.metadata.name);
    const mine = live.filter((each) => each.config === label);
    const result = wantedFor(pod as PodFacts, config, mine, takenByOther);
    if (result === undefined) continue;
    if ('trouble' in result) {
      if (result.trouble) troubles.set(config.metadata.name, result.trouble);
      // While it is not known what should stand there, what stands there stays.
      for (const each of mine) keep.add(each);
      continue;
    }
    const found = mine.find(({ metadata }) => metadata.name === result.name);
    if (!found) create.push(result);
    else {
      keep.add(found);
      if (found.digest !== wantedDigest(pod as PodFacts, result))
        update.push({ wanted: result, existing: found });
    }
  }
  return { create, update, remove: live.filter((each) => !keep.has(each)), troubles };
}

/** Undefined where the config does not select the pod. */
function wantedFor(
  pod: PodFacts,
  config: PcmcFacts,
  mine: readonly GeneratedFacts[],
  takenByOther: (name: string) => boolean,
): Wanted | { trouble: Trouble | undefined } | undefined {
  if (config.deleting) return undefined;
  // The config itself says what is wrong with it; here nothing is known, so nothing is done.
  if (!config.selector || config.trouble) return { trouble: undefined };
  if (!config.selector.matches(pod.labels)) return undefined;
  const content = dataOf(pod, config);
  if ('trouble' in content) return { trouble: content.trouble };
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
  const hashed = hashedName(pod, config);
  const has = (name: string): boolean => mine.some(({ metadata }) => metadata.name === name);
  if (plain !== undefined && has(plain)) return plain;
  if (plain === undefined || has(hashed) || takenByOther(plain)) return hashed;
  return plain;
}

export function wantedDigest(pod: PodFacts, { label, data }: Wanted): string {
  const { name, uid } = pod.metadata;
  return contentDigest({
    data,
    config: label,
    podUid: uid,
    owners: [['Pod', name, uid, true, true].join('/')],
  });
}
