/**
 * Restores ConfigMaps to a content that worked, after a reload with the next content failed.
 *
 * In: sources, each with the digests of the failed content and of the one before. Out: the outcome. Guarantees: nothing
 * is written unless each source still has the failed content, has a copy of the earlier content, has no owner and is
 * not immutable; the note names what is restored before the first write; each write is one PATCH of the data with a
 * test of the resourceVersion that was read, so a concurrent write of another client wins. If only some keys of a
 * source count, only these are restored.
 */
import type { Client, JsonPatchOperation } from '@reloader/runtime';
import { configMapFacts } from '../digest/source-projection.ts';
import { ownerOf } from '../evidence/owners.ts';
import { entryOf } from '../ledger/entry.ts';
import { formatEntry, sameEntry } from '../ledger/ledger.ts';
import { type AnnotationNames, FIELD_MANAGER } from '../model/annotations.ts';
import { ConfigMaps } from '../model/kinds.ts';
import type { RestoringSource } from '../model/ledger.ts';
import type { RestoreOutcome, RestoreSource } from '../model/restore.ts';
import type { SourceRef } from '../model/source.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import { type ConfigMap, KeptCopies, readConfigMap } from './kept-copies.ts';
import { remove, set, test } from './operations.ts';
import { outcomeOf } from './outcome.ts';

export interface RestoreContext {
  /** The client for writes; with leader election a fenced one. */
  readonly client: Pick<Client, 'list' | 'patch'>;
  readonly names: AnnotationNames;
  readonly copies: Pick<KeptCopies, 'of'>;
}

/** For the engine: restores sources and keeps copies. */
export function createSourceKeeper({
  client,
  names,
}: {
  readonly client: Client;
  readonly names: AnnotationNames;
}) {
  const copies = new KeptCopies({ client, names });
  return {
    restore: (sources: readonly RestoreSource[], note: NoteRestoring, signal: AbortSignal) =>
      restore({ client, names, copies }, sources, note, signal),
    keep: (facts: SourceFacts, signal: AbortSignal) => copies.keep(facts, signal),
  };
}

/** Called before the first write, and again without a source whose write certainly failed. */
export type NoteRestoring = (sources: readonly RestoringSource[]) => Promise<void>;

interface Step {
  readonly source: RestoreSource;
  readonly live: ConfigMap;
  readonly copy: ConfigMap;
}

type Looked = Step | Exclude<RestoreOutcome, { kind: 'restored' }>;

export async function restore(
  context: RestoreContext,
  sources: readonly RestoreSource[],
  note: NoteRestoring,
  signal: AbortSignal,
): Promise<RestoreOutcome> {
  const steps: Step[] = [];
  for (const source of sources) {
    const looked = await look(context, source, signal);
    if ('kind' in looked) return looked;
    steps.push(looked);
  }
  let begun = steps.map(({ source: { key, bad }, live }) => ({
    key,
    content: bad,
    version: live.metadata.resourceVersion,
  }));
  await note(begun);
  for (const step of steps) {
    const failure = await write(context, step, signal);
    if (!failure) continue;
    begun = begun.filter(({ key }) => key !== step.source.key);
    await note(begun);
    return failure;
  }
  return { kind: 'restored' };
}

async function look(context: RestoreContext, source: RestoreSource, signal: AbortSignal): Promise<Looked> {
  const { client, copies, names } = context;
  const { ref, keys, bad, good } = source;
  const live = await readConfigMap(client, ref, signal);
  const factsOf = (map: ConfigMap) => configMapFacts(map, { names, key: undefined });
  const entryIn = (map: ConfigMap) => entryOf(factsOf(map), keys);
  if (!live || formatEntry(entryIn(live)) !== bad) return { kind: 'conflict' };
  const owner = factsOf(live).generated ? 'a PodConfigMapConfig' : ownerOf(live);
  if (owner !== undefined) {
    const message = `${textOf(ref)} belongs to ${owner}, which would write it again: revert it there`;
    return { kind: 'refused', message };
  }
  if (live.immutable) {
    return { kind: 'refused', message: `${textOf(ref)} is immutable: create the content that worked anew` };
  }
  // The digest includes the name, so the copy is compared under the source's metadata.
  const asSource = (copy: ConfigMap): ConfigMap => ({ ...copy, metadata: live.metadata });
  const kept = await copies.of(ref, live.metadata.uid, signal);
  const copy = kept.findLast((each) => sameEntry(entryIn(asSource(each)), good));
  if (copy) return { source, live, copy };
  const message = `there is no copy of the content of ${textOf(ref)} that worked: put it right or back where it is kept`;
  return { kind: 'refused', message };
}

async function write(
  { client }: RestoreContext,
  { source: { ref, keys }, live, copy }: Step,
  signal: AbortSignal,
): Promise<Exclude<RestoreOutcome, { kind: 'restored' }> | undefined> {
  try {
    const operations = restoreOperations(live, copy, keys);
    const { namespace, name } = ref;
    const options = { fieldManager: FIELD_MANAGER, signal };
    await client.patch(ConfigMaps, { namespace, name }, { type: 'json', operations }, options);
    return undefined;
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome.kind === 'forbidden') {
      const message = `the operator may not patch ConfigMaps in namespace ${ref.namespace}: chart value reloader.restoreConfigMaps grants it; until then put ${textOf(ref)} right or back where it is kept`;
      return { kind: 'refused', message };
    }
    if (outcome.kind !== 'rejected') return { kind: 'conflict' };
    return { kind: 'refused', message: `the API server did not take ${textOf(ref)}: ${outcome.message}` };
  }
}

const FIELDS = ['data', 'binaryData'] as const;

/** Sets the source's data to that of the copy; with `keys`, only these keys. */
export function restoreOperations(
  live: ConfigMap,
  copy: ConfigMap,
  keys: readonly string[] | undefined,
): JsonPatchOperation[] {
  return [
    test('/metadata/resourceVersion', live.metadata.resourceVersion),
    ...FIELDS.flatMap((field) => {
      const next = contentAfter(live[field], copy[field], keys);
      if (Object.keys(next).length > 0) return [set(`/${field}`, next)];
      return live[field] === undefined ? [] : [remove(`/${field}`)];
    }),
  ];
}

function contentAfter(
  now: Readonly<Record<string, string>> = {},
  before: Readonly<Record<string, string>> = {},
  keys: readonly string[] | undefined,
): Record<string, string> {
  if (!keys) return { ...before };
  const counts = new Set(keys);
  const others = Object.entries(now).filter(([key]) => !counts.has(key));
  const restored = Object.entries(before).filter(([key]) => counts.has(key));
  return Object.fromEntries([...others, ...restored]);
}

function textOf({ kind, namespace, name }: SourceRef): string {
  return `${kind} ${namespace}/${name}`;
}
