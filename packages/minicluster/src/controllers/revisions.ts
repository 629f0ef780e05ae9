/** ControllerRevisions: the numbered templates of StatefulSets and DaemonSets, used by `rollout undo`. */
import { isDeepStrictEqual } from 'node:util';
import type { LocalApi } from '../model/local-api.ts';
import type { KubeObject } from '../model/object.ts';
import { controllerReference, templateHash } from './children.ts';
import { REVISIONS } from './kind-refs.ts';
import type { OwnedIndex } from './owned.ts';
import type { ControllerRevision, PodTemplate } from './types.ts';

export const REVISION_LABEL = 'controller-revision-hash';

interface Templated extends KubeObject {
  spec: { template: PodTemplate; revisionHistoryLimit?: number };
}

export class Revisions {
  readonly #api: LocalApi;
  readonly #owned: OwnedIndex;
  readonly #user: string;

  constructor(api: LocalApi, owned: OwnedIndex, user: string) {
    this.#api = api;
    this.#owned = owned;
    this.#user = user;
  }

  /** Oldest first. */
  of(owner: Templated): ControllerRevision[] {
    return this.#owned
      .by<ControllerRevision>(REVISIONS, owner.metadata.uid)
      .sort((a, b) => a.revision - b.revision);
  }

  /** The revision of the current template: created if new, moved to the top if it was used before. */
  current(owner: Templated): ControllerRevision {
    const all = this.of(owner);
    const data = { spec: { template: { ...owner.spec.template, $patch: 'replace' } } };
    const top = all.at(-1)?.revision ?? 0;
    const same = all.find((revision) => isDeepStrictEqual(revision.data, data));
    if (same) {
      if (same.revision === top) return same;
      return this.#api.update(REVISIONS, { ...same, revision: top + 1 }, this.#user) as ControllerRevision;
    }
    const hash = templateHash(owner.spec.template, all.length === 0 ? 0 : top);
    return this.#api.create(
      REVISIONS,
      {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: {
          name: `${owner.metadata.name}-${hash}`,
          namespace: owner.metadata.namespace,
          labels: { ...owner.spec.template.metadata?.labels, [REVISION_LABEL]: hash },
          ownerReferences: [controllerReference(owner)],
        },
        data,
        revision: top + 1,
      },
      this.#user,
    ) as ControllerRevision;
  }

  /**
   * Deletes unused revisions, oldest first. The limit is for the unused ones, or for all but the current one, in
   * which case those in use count too.
   */
  prune(owner: Templated, inUse: ReadonlySet<string>, limited: 'unused' | 'all'): void {
    const all = this.of(owner);
    const unused = all.filter(
      (revision) => !inUse.has(revisionHash(revision)) && !inUse.has(revision.metadata.name),
    );
    const counted = limited === 'unused' ? unused.length : all.length - 1;
    const surplus = Math.max(0, counted - (owner.spec.revisionHistoryLimit ?? 10));
    for (const { metadata } of unused.slice(0, surplus)) {
      this.#api.delete(REVISIONS, metadata, { uid: metadata.uid }, this.#user);
    }
  }
}

export function revisionHash(revision: ControllerRevision): string {
  return revision.metadata.labels?.[REVISION_LABEL] ?? '';
}

/** The template of a revision. */
export function templateOf(revision: ControllerRevision): PodTemplate {
  const { template } = (revision.data as { spec: { template: PodTemplate & { $patch?: string } } }).spec;
  const { $patch: _, ...bare } = template;
  return bare;
}
