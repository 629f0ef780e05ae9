/** The argument of the author's functions in one pass over one object: reads from the caches, writes of children, status. */
import type { Informer } from '../cache/informer.ts';
import type { Client } from '../client/client.ts';
import { type ResourceType, resourceName } from '../client/resource.ts';
import type { ReconcileContext } from '../controller/reconciler.ts';
import { referenceTo } from '../events/event.ts';
import type { EventRecorder } from '../events/recorder.ts';
import { type KubernetesObject, keyOf, type ObjectKey, type Stored } from '../model/types.ts';
import { deleteIfOwned } from '../objects/components.ts';
import { setCondition } from '../objects/conditions.ts';
import { createOrUpdate } from '../objects/create-or-update.ts';
import { setControllerReference } from '../objects/owners.ts';
import { childLabels, type Declaration, keyFor } from './declaration.ts';
import type { Managed, Pass, StatusDraft } from './types.ts';

export interface PassParts<T extends Managed> {
  readonly declaration: Declaration<T>;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly primary: Informer<Stored<T>>;
  /** One for each `owns` and `watches`; a kind may be declared by both. */
  readonly others: readonly OtherKind[];
}

export interface OtherKind {
  readonly type: ResourceType;
  /** Declared by `owns`: children, and nothing else, are cached. */
  readonly owned: boolean;
  readonly informer: Informer<Stored<KubernetesObject>>;
}

export function createPass<T extends Managed>(
  { declaration, client, events, others }: PassParts<T>,
  object: Stored<T>,
  context: ReconcileContext,
  status: StatusDraft<T>,
): Pass<T> {
  const { signal, clock } = context;
  const { type: owner, settings } = declaration;
  const { namespace } = object.metadata;
  const informersOf = <O extends KubernetesObject>(type: ResourceType<O>): Informer<Stored<O>>[] => {
    const found = others.filter((other) => resourceName(other.type) === resourceName(type));
    // The informers were declared with the resource of this name, and so with its type.
    if (found.length > 0) return found.map(({ informer }) => informer as unknown as Informer<Stored<O>>);
    throw new TypeError(
      `${owner.kind} operator: ${type.kind} is not watched: add .owns() or .watches() of ${type.kind}, or read it with pass.client`,
    );
  };
  const expectOwned = (type: ResourceType): void => {
    if (others.some((other) => other.owned && resourceName(other.type) === resourceName(type))) return;
    throw new TypeError(
      `${owner.kind} operator: ${type.kind} is no child: add .owns() of ${type.kind}, or write it with pass.client`,
    );
  };
  const find = <O extends KubernetesObject>(type: ResourceType<O>, key: ObjectKey): Stored<O> | undefined => {
    for (const { store } of informersOf(type)) {
      const found = store.get(key);
      if (found) return found;
    }
    return undefined;
  };
  return {
    object,
    key: keyOf(object),
    client,
    status,
    signal,
    clock,
    superseded: context.superseded,
    get logger() {
      return context.logger;
    },
    get reconcileID() {
      return context.reconcileID;
    },
    attempt: context.attempt,
    isLastAttempt: context.isLastAttempt,
    get reason() {
      return context.reason;
    },
    async ensure(type, name, change) {
      expectOwned(type);
      const key = keyFor(type, name, namespace);
      const mutate = async (draft: KubernetesObject): Promise<void> => {
        setControllerReference(draft, owner, object, { adopt: false });
        draft.metadata = {
          ...draft.metadata,
          labels: { ...draft.metadata?.labels, ...childLabels(declaration, type) },
        };
      };
      const options = { live: find(type, key) ?? null, signal, clock };
      const { object: written } = await createOrUpdate(
        client,
        type,
        key,
        async (draft) => {
          await mutate(draft);
          await change(draft);
        },
        options,
      );
      return written;
    },
    async remove(type, name) {
      expectOwned(type);
      const key = keyFor(type, name, namespace);
      return (await deleteIfOwned(client, type, key, object, { signal, clock })) === 'deleted';
    },
    cached: (type, name) => find(type, keyFor(type, name, namespace)),
    event: (type, reason, message) => events.record(referenceTo(owner, object), type, reason, message),
    condition: (update) => {
      if (settings.status === false) {
        throw new TypeError(
          `${owner.kind} operator: no status is written, so it has no condition ${update.type}`,
        );
      }
      const { generation: observedGeneration } = object.metadata;
      const stamped = { ...(observedGeneration !== undefined && { observedGeneration }), ...update };
      status.conditions = setCondition(status.conditions, stamped, clock.now());
    },
  };
}
