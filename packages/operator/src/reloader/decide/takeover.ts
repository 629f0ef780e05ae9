/**
 * Hashes that Stakater Reloader left on a template that we see for the first time. Its hash of the current content, or
 * ours, proves that the pods have it. Any other hash is of unknown content: a Warning, or a reload with
 * `--takeover=catch-up`.
 */
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import { STAKATER_TYPE } from '../model/source.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import { variableOf } from '../model/variable.ts';
import type { WantedSource } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';

export interface Foreign {
  /** Names of environment variables, or of the annotation. */
  readonly slots: readonly string[];
  /** Ledger keys of the sources that the slots belong to. */
  readonly keys: ReadonlySet<string>;
}

interface Slot {
  readonly name: string;
  readonly hash: string;
  readonly isOf: (source: WantedSource) => boolean;
}

export function foreignSlots(workload: WorkloadFacts, wanted: readonly WantedSource[]): Foreign {
  const slots = new Set<string>();
  const keys = new Set<string>();
  for (const { name, hash, isOf } of slotsOf(workload)) {
    // Sources whose names differ in punctuation share one variable: it is known if it matches any of them.
    const sources = wanted.filter(isOf);
    const facts = sources.flatMap(({ state }) => (state.kind === 'present' ? [state.facts] : []));
    if (facts.length === 0 || facts.some((source) => isOfContent(hash, source))) continue;
    slots.add(name);
    for (const { key, state } of sources) if (state.kind === 'present') keys.add(key);
  }
  return { slots: [...slots].sort(), keys };
}

function slotsOf({ slots, templateAnnotations, metadata }: WorkloadFacts): Slot[] {
  const variables = slots.map(
    ({ name, value }): Slot => ({ name, hash: value, isOf: ({ ref }) => variableOf(ref) === name }),
  );
  const last = lastReloadedFrom(templateAnnotations[FIXED_ANNOTATIONS.lastReloadedFrom]);
  if (!last) return variables;
  const { type, name, namespace = metadata.namespace, hash } = last;
  const isOf = ({ ref }: WantedSource): boolean =>
    STAKATER_TYPE[ref.kind] === type && ref.name === name && ref.namespace === namespace;
  return [...variables, { name: FIXED_ANNOTATIONS.lastReloadedFrom, hash, isOf }];
}

/**
 * The earlier operator's hash is trusted unless `--takeover=catch-up` is set: computing it for every source is
 * expensive, and only the Warning depends on it.
 */
function isOfContent(hash: string, { slot, sha1, legacyHash }: SourceFacts): boolean {
  if (/^[0-9a-f]{64}$/.test(hash)) return legacyHash === undefined || hash === legacyHash;
  return hash === slot || hash === sha1;
}

interface LastReloadedFrom {
  readonly type: string;
  readonly name: string;
  readonly namespace?: string;
  readonly hash: string;
}

/** Undefined if it is missing or not in Stakater's form. */
function lastReloadedFrom(text: string | undefined): LastReloadedFrom | undefined {
  if (text === undefined) return undefined;
  try {
    const { type, name, namespace, hash } = JSON.parse(text) as Record<string, unknown>;
    if (typeof type !== 'string' || typeof name !== 'string' || typeof hash !== 'string') return undefined;
    return { type: type.toUpperCase(), name, hash, ...(typeof namespace === 'string' && { namespace }) };
  } catch {
    return undefined;
  }
}
