/**
 * Parts of an application that its owner can hand to us, take away, or keep for themselves.
 *
 * Managed: we bring the part about and keep it so. Removed: we delete it, but only objects that our owner
 * controls. Unmanaged: we neither create, change nor delete it. Each part gets a condition of its own.
 */
import type { Client } from '../client/client.ts';
import { NotFoundError } from '../client/errors.ts';
import type { ResourceType } from '../client/resource.ts';
import { ConfigurationError } from '../model/errors.ts';
import type { Condition, KubernetesObject, ObjectKey, Stored } from '../model/types.ts';
import { type ConditionUpdate, setCondition } from './conditions.ts';
import { type ConflictRetryOptions, retryOnConflict } from './conflict.ts';
import { isControlledBy } from './owners.ts';
import { getIfExists } from './read.ts';

/** Whether a component is looked after, left alone or taken away. */
export type ManagementState = 'Managed' | 'Removed' | 'Unmanaged';

const STATES: readonly string[] = ['Managed', 'Removed', 'Unmanaged'] satisfies ManagementState[];

/** A management state that we do not know: doing nothing would be a guess, so it is an error. */
export class UnknownManagementStateError extends ConfigurationError {
  override name = 'UnknownManagementStateError';
}

/** Absent means Managed. */
export function managementState(component: string, value: string | undefined): ManagementState {
  if (value === undefined) return 'Managed';
  if (isState(value)) return value;
  throw new UnknownManagementStateError(
    `Component "${component}" has management state "${value}": it must be ${STATES.join(', ')}`,
  );
}

function isState(value: string): value is ManagementState {
  return STATES.includes(value);
}

/** A part of an object's world that can be made and taken away. */
export interface Component {
  /** CamelCase; the condition is called after it: `Ingress` gives `IngressReady`. */
  readonly name: string;
  readonly ensure: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** How it stands with a component. */
export interface ComponentOutcome {
  readonly state: ManagementState | undefined;
  readonly condition: ConditionUpdate;
  /** What went wrong; the condition says so too. */
  readonly error?: unknown;
}

/** Does what the state asks for. Never throws: failures, an unknown state included, are part of the outcome. */
export async function reconcileComponent(
  component: Component,
  value: string | undefined,
  observedGeneration?: number,
): Promise<ComponentOutcome> {
  const condition = (status: Condition['status'], reason: string, message: string): ConditionUpdate => ({
    type: `${component.name}Ready`,
    status,
    reason,
    message,
    ...(observedGeneration !== undefined && { observedGeneration }),
  });
  let state: ManagementState | undefined;
  try {
    state = managementState(component.name, value);
    switch (state) {
      case 'Managed':
        await component.ensure();
        return { state, condition: condition('True', 'Managed', `${component.name} is as specified`) };
      case 'Removed':
        await component.remove();
        return {
          state,
          condition: condition('False', 'Removed', `${component.name} is removed, as specified`),
        };
      case 'Unmanaged':
        return {
          state,
          condition: condition('Unknown', 'Unmanaged', `${component.name} is left alone, as specified`),
        };
    }
  } catch (error) {
    const reason = state ? `${component.name}Failed` : 'UnknownManagementState';
    const message = error instanceof Error ? error.message : String(error);
    return { state, condition: condition('False', reason, message), error };
  }
}

/** Puts the outcomes' conditions into a list. */
export function setComponentConditions(
  conditions: readonly Condition[] | undefined,
  outcomes: readonly ComponentOutcome[],
  now: number,
): Condition[] {
  return outcomes.reduce<Condition[]>(
    (list, { condition }) => setCondition(list, condition, now),
    [...(conditions ?? [])],
  );
}

/**
 * Deletes an object that `owner` controls, exactly as it was seen. `foreign` when it belongs to somebody else
 * or to nobody: then it is left alone.
 */
export async function deleteIfOwned<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  key: ObjectKey,
  owner: Stored<KubernetesObject>,
  options: ConflictRetryOptions & { readonly live?: Stored<T> } = {},
): Promise<'deleted' | 'absent' | 'foreign'> {
  const { signal } = options;
  return await retryOnConflict(async (tryNumber) => {
    const cached = tryNumber === 1 ? options.live : undefined;
    const live = cached ?? (await getIfExists(client, type, key, signal));
    if (!live) return 'absent';
    if (!isControlledBy(live, owner)) return 'foreign';
    const { uid, resourceVersion } = live.metadata;
    try {
      await client.delete(type, key, {
        preconditions: { uid, resourceVersion },
        propagationPolicy: 'Background',
        ...(signal && { signal }),
      });
      return 'deleted';
    } catch (error) {
      if (error instanceof NotFoundError) return 'absent';
      throw error;
    }
  }, options);
}
