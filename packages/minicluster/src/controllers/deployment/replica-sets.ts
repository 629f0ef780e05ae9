/** The ReplicaSets of a Deployment: finding, creating, numbering, sizing and cleaning them up. */
import type { LocalApi } from '../../model/local-api.ts';
import { StatusError } from '../../model/status.ts';
import { controllerReference, sameTemplate, templateHash } from '../children.ts';
import { DEPLOYMENTS, REPLICA_SETS } from '../kind-refs.ts';
import type { OwnedIndex } from '../owned.ts';
import { selects } from '../selector.ts';
import type { Deployment, ReplicaSet } from '../types.ts';
import { DESIRED_REPLICAS, MAX_REPLICAS, maxTotal, newReplicaSetSize, wantedReplicas } from './scaling.ts';

const HASH_LABEL = 'pod-template-hash';
const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
const USER = 'system:serviceaccount:kube-system:deployment-controller';

/** Annotations of a Deployment that are not copied to its ReplicaSets. */
const NOT_COPIED = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
]);

const byAge = (a: ReplicaSet, b: ReplicaSet): number =>
  a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp) ||
  a.metadata.name.localeCompare(b.metadata.name);

const revisionOf = (set: ReplicaSet): number => Number(set.metadata.annotations?.[REVISION] ?? 0);

export class ReplicaSets {
  readonly #api: LocalApi;
  readonly #owned: OwnedIndex;

  constructor(api: LocalApi, owned: OwnedIndex) {
    this.#api = api;
    this.#owned = owned;
  }

  /** All ReplicaSets that the Deployment controls, oldest first; matching orphans are adopted. */
  of(deployment: Deployment): ReplicaSet[] {
    const { uid, namespace, deletionTimestamp } = deployment.metadata;
    const sets = this.#owned.by<ReplicaSet>(REPLICA_SETS, uid);
    if (deletionTimestamp === undefined) {
      for (const orphan of this.#owned.orphans<ReplicaSet>(REPLICA_SETS, namespace)) {
        if (orphan.metadata.deletionTimestamp || !selects(deployment.spec.selector, orphan.metadata.labels))
          continue;
        const ownerReferences = [...(orphan.metadata.ownerReferences ?? []), controllerReference(deployment)];
        sets.push(this.#write({ ...orphan, metadata: { ...orphan.metadata, ownerReferences } }));
      }
    }
    return sets.sort(byAge);
  }

  /** The oldest one with the Deployment's current template. */
  current(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
    return sets.find((set) => sameTemplate(set.spec.template, deployment.spec.template, HASH_LABEL));
  }

  /** Numbers the current ReplicaSet as the newest revision, and copies annotations to it. */
  synced(deployment: Deployment, current: ReplicaSet, others: readonly ReplicaSet[]): ReplicaSet {
    const revision = Math.max(revisionOf(current), Math.max(0, ...others.map(revisionOf)) + 1);
    const annotations = this.#annotations(deployment, current, revision);
    const { minReadySeconds } = deployment.spec;
    const changed =
      JSON.stringify(annotations) !== JSON.stringify(current.metadata.annotations) ||
      (current.spec.minReadySeconds ?? 0) !== (minReadySeconds ?? 0);
    const { minReadySeconds: _, ...rest } = current.spec;
    const spec = { ...rest, ...(minReadySeconds !== undefined && { minReadySeconds }) };
    const set = changed
      ? this.#write({ ...current, metadata: { ...current.metadata, annotations }, spec })
      : current;
    this.#number(deployment, revision);
    return set;
  }

  /** The ReplicaSet of the current template, created if missing; undefined if its name was taken. */
  ensureCurrent(
    deployment: Deployment,
    all: readonly ReplicaSet[],
  ): { fresh: ReplicaSet | undefined; created: boolean } {
    const current = this.current(deployment, all);
    if (!current) return { fresh: this.create(deployment, all), created: true };
    const others = all.filter((set) => set !== current);
    return { fresh: this.synced(deployment, current, others), created: false };
  }

  /** Creates the ReplicaSet of the current template. Undefined if a hash collision must be resolved first. */
  create(deployment: Deployment, others: readonly ReplicaSet[]): ReplicaSet | undefined {
    const { template, selector, minReadySeconds } = deployment.spec;
    const hash = templateHash(template, deployment.status?.collisionCount ?? 0);
    const revision = Math.max(0, ...others.map(revisionOf)) + 1;
    const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
    const replicas = newReplicaSetSize(deployment, 0, others);
    try {
      const created = this.#api.create(
        REPLICA_SETS,
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          metadata: {
            name: `${deployment.metadata.name}-${hash}`,
            namespace: deployment.metadata.namespace,
            labels,
            annotations: this.#annotations(deployment, undefined, revision),
            ownerReferences: [controllerReference(deployment)],
          },
          spec: {
            replicas,
            ...(minReadySeconds !== undefined && { minReadySeconds }),
            selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
            template: { ...template, metadata: { ...template.metadata, labels } },
          },
        },
        USER,
      );
      this.#number(deployment, revision);
      return created as ReplicaSet;
    } catch (error) {
      if (!(error instanceof StatusError) || error.body.reason !== 'AlreadyExists') throw error;
      const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
      this.#api.updateStatus(
        DEPLOYMENTS,
        { ...deployment, status: { ...deployment.status, collisionCount } },
        USER,
      );
      return undefined;
    }
  }

  /** A ReplicaSet that keeps its size also records the sizes it was computed for. */
  resize(deployment: Deployment, set: ReplicaSet, replicas: number): void {
    const noted = Object.entries(sizes(deployment)).every(
      ([key, value]) => set.metadata.annotations?.[key] === value,
    );
    if (replicas !== set.spec.replicas || !noted) this.scale(deployment, set, replicas);
  }

  scale(deployment: Deployment, set: ReplicaSet, replicas: number): void {
    const annotations = { ...set.metadata.annotations, ...sizes(deployment) };
    this.#write({ ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas } });
  }

  /**
   * Keeps the newest revisionHistoryLimit old ReplicaSets. Of the older ones only empty ones are deleted: a
   * ReplicaSet with pods counts towards the limit but is never deleted.
   */
  prune(deployment: Deployment, old: readonly ReplicaSet[]): void {
    const limit = deployment.spec.revisionHistoryLimit ?? 10;
    const known = old
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .sort((a, b) => revisionOf(a) - revisionOf(b));
    const surplus = known.slice(0, Math.max(0, known.length - limit));
    for (const { metadata, spec, status } of surplus) {
      if (spec.replicas || status?.replicas) continue;
      this.#api.delete(REPLICA_SETS, metadata, { uid: metadata.uid }, USER);
    }
  }

  #annotations(
    deployment: Deployment,
    set: ReplicaSet | undefined,
    revision: number,
  ): Record<string, string> {
    const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(
      ([key]) => !NOT_COPIED.has(key),
    );
    const before = set?.metadata.annotations ?? {};
    // After a rollback the ReplicaSet's earlier revision numbers are recorded.
    const earlier = before[REVISION];
    const isReused = earlier !== undefined && earlier !== String(revision);
    const history = isReused && [before[REVISION_HISTORY], earlier].filter(Boolean).join(',');
    return {
      ...before,
      ...Object.fromEntries(copied),
      [REVISION]: String(revision),
      ...(history && { [REVISION_HISTORY]: history }),
      ...(set ? {} : sizes(deployment)),
    };
  }

  #number(deployment: Deployment, revision: number): void {
    if (deployment.metadata.annotations?.[REVISION] === String(revision)) return;
    const live = this.#api.get(DEPLOYMENTS, deployment.metadata);
    if (!live) return;
    const annotations = { ...live.metadata.annotations, [REVISION]: String(revision) };
    // Through the status subresource: it accepts annotations and does not increase the generation.
    this.#api.updateStatus(DEPLOYMENTS, { ...live, metadata: { ...live.metadata, annotations } }, USER);
  }

  #write(set: ReplicaSet): ReplicaSet {
    return this.#api.update(REPLICA_SETS, set, USER) as ReplicaSet;
  }
}

function sizes(deployment: Deployment): Record<string, string> {
  return {
    [DESIRED_REPLICAS]: String(wantedReplicas(deployment)),
    [MAX_REPLICAS]: String(maxTotal(deployment)),
  };
}
