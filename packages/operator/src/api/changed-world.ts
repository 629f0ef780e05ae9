/**
 * The world with one source changed, created or deleted right now, and everything else unchanged.
 *
 * The new content is unknown to every workload: for the keys that change, its digests equal no other digest.
 */
import type { SourceRef } from '../reloader/model/source.ts';
import { sourceKey } from '../reloader/model/source.ts';
import {
  ALL_KEYS,
  keyDigestsOf,
  packKeyDigests,
  type SourceFacts,
  type SourceState,
} from '../reloader/model/source-facts.ts';
import type { World } from '../reloader/model/world.ts';
import type { ChangeKind } from './shapes.ts';

export interface Change {
  readonly ref: SourceRef;
  readonly kind: ChangeKind;
  /** Only these keys change; undefined for all. */
  readonly keys: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Shorter than any real digest, so it equals none. */
const OTHER = 'other';
const UNREAD = 'unread';

export function changedWorld(world: World, change: Change): World {
  const { ref, kind } = change;
  const key = sourceKey(ref);
  const before = world.source(ref);
  const after = stateAfter(before, change);
  return {
    ...world,
    source: (asked) => (sourceKey(asked) === key ? after : world.source(asked)),
    sourcesIn: (namespace, asked) => {
      const others = world.sourcesIn(namespace, asked);
      if (namespace !== ref.namespace || asked !== ref.kind) return others;
      const rest = [...others].filter(({ metadata }) => metadata.name !== ref.name);
      return after.kind === 'present' && kind !== 'deleted' ? [...rest, after.facts] : rest;
    },
  };
}

function stateAfter(before: SourceState, { ref, kind, keys, now }: Change): SourceState {
  if (kind === 'deleted') {
    const last = before.kind === 'present' ? before.facts : before.kind === 'gone' ? before.last : undefined;
    return last ? { kind: 'gone', last } : { kind: 'gone' };
  }
  const seconds = Math.floor(now / 1000);
  const known: SourceFacts = before.kind === 'present' ? before.facts : unseen(ref, seconds);
  const changes = (name: string): boolean => !keys || name === ALL_KEYS || keys.includes(name);
  const digests = new Map(keyDigestsOf(known));
  for (const name of [...digests.keys(), ...(keys ?? [])]) if (changes(name)) digests.set(name, OTHER);
  return {
    kind: 'present',
    facts: {
      ...known,
      metadata: { ...known.metadata, resourceVersion: `${known.metadata.resourceVersion}+` },
      writtenAt: seconds,
      writtenBy: '',
      digest: OTHER,
      keyDigests: packKeyDigests(digests),
      slot: OTHER,
      sha1: OTHER,
    },
  };
}

/** The world in which a source that the caller may not read is there, with a content that no change brings. */
export function worldBefore(world: World, ref: SourceRef): World {
  if (world.source(ref).kind !== 'unknown') return world;
  const key = sourceKey(ref);
  const content = { digest: UNREAD, slot: UNREAD, sha1: UNREAD };
  const before: SourceState = { kind: 'present', facts: { ...unseen(ref, 0), ...content } };
  return { ...world, source: (asked) => (sourceKey(asked) === key ? before : world.source(asked)) };
}

function unseen({ kind, namespace, name }: SourceRef, seconds: number): SourceFacts {
  return {
    metadata: { name, namespace, uid: '', resourceVersion: '' },
    kind,
    labels: {},
    annotations: {},
    createdAt: seconds,
    writtenAt: seconds,
    writtenBy: '',
    digest: OTHER,
    keyDigests: '',
    slot: OTHER,
    sha1: OTHER,
    generated: false,
  };
}
