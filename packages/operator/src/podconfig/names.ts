/**
 * Names of generated ConfigMaps. Plain as long as they fit and are free; with a hash of the pair otherwise, so that no
 * two pairs of pod and config ever share one.
 */
import { createHash } from 'node:crypto';

const LONGEST_NAME = 253;
const LONGEST_LABEL_VALUE = 63;
const LONGEST_KEY = 253;
const HASH_LENGTH = 10;
const NAME_ENDING = /(-cfg|-[0-9a-f]{10})$/;

/** A short hash that distinguishes names which truncation or escaping made equal. */
function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, HASH_LENGTH);
}

export function plainName(pod: string, config: string): string {
  return `pod-${pod}-from-${config}-cfg`;
}

/** Undefined if the plain name is too long. */
export function firstChoice(pod: string, config: string): string | undefined {
  const name = plainName(pod, config);
  return name.length <= LONGEST_NAME ? name : undefined;
}

export function hashedName(pod: string, config: string): string {
  const ending = `-${hashOf(pod, config)}`;
  // A cut must not leave a dot or a hyphen at the end of a DNS label.
  const head = plainName(pod, config).slice(0, LONGEST_NAME - ending.length);
  return `${head.replace(/[-.]+$/, '')}${ending}`;
}

/** Whether this is a name that we give for the pod and the config in the label. */
export function isNameFor(name: string, pod: string, label: string): boolean {
  if (name === firstChoice(pod, label) || name === hashedName(pod, label)) return true;
  // A label of full length may be a shortened longer name, so only its beginning can be compared.
  if (label.length < LONGEST_LABEL_VALUE) return false;
  const head = plainName(pod, label.slice(0, LONGEST_LABEL_VALUE - 1 - HASH_LENGTH)).slice(0, -'-cfg'.length);
  return name.startsWith(head.slice(0, LONGEST_NAME - 2 - HASH_LENGTH)) && NAME_ENDING.test(name);
}

/** The pod in a plain name. */
export function podInName(name: string, label: string): string | undefined {
  const [head, ending] = ['pod-', `-from-${label}-cfg`];
  const pod = name.slice(head.length, -ending.length);
  return pod !== '' && name === plainName(pod, label) ? pod : undefined;
}

/** The value of the label that names the config. */
export function labelValueOf(config: string): string {
  if (config.length <= LONGEST_LABEL_VALUE) return config;
  const ending = `-${hashOf(config)}`;
  return `${config.slice(0, LONGEST_LABEL_VALUE - ending.length).replace(/[-._]+$/, '')}${ending}`;
}

/**
 * Data keys for label or annotation keys: `/` becomes `_`. If that makes two keys equal, or one too long, a hash is
 * added; a key that needed no change keeps its name.
 */
export function dataKeys(prefix: string, keys: Iterable<string>): Map<string, string> {
  const sorted = [...new Set(keys)].sort();
  const found = new Map<string, string>();
  const taken = new Set<string>();
  const needsChange = (key: string): boolean => plain(prefix, key) !== `${prefix}${key}`;
  for (const key of [...sorted.filter((each) => !needsChange(each)), ...sorted.filter(needsChange)]) {
    const wanted = plain(prefix, key);
    const ending = `_${hashOf(key)}`;
    const fits = wanted.length <= LONGEST_KEY && !taken.has(wanted);
    const chosen = fits ? wanted : `${wanted.slice(0, LONGEST_KEY - ending.length)}${ending}`;
    taken.add(chosen);
    found.set(key, chosen);
  }
  return found;
}

function plain(prefix: string, key: string): string {
  return `${prefix}${key}`.replace(/[^-._a-zA-Z0-9]/g, '_');
}
