/**
 * Components: parts of an application that its owner can let us manage, remove, or leave alone.
 *
 * Managed: we create and update the component. Removed: we delete it, but only objects that our owner controls.
 * Unmanaged: we neither create, update nor delete it. Each component gets its own condition.
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

/** Whether a component is managed, unmanaged or removed. */
export type ManagementState = 'Managed' | 'Removed' | 'Unmanaged';

const STATES: readonly string[] = ['Managed', 'Removed', 'Unmanaged'] satisfies ManagementState[];

/** An unknown management state: any action would be a guess, so it is an error. */
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

/** A component that can be created and removed. */
export interface Component {
  /** CamelCase; the condition is called after it: `Ingress` gives `IngressReady`. */
  readonly name: string;
  readonly ensure: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** The state of a component. */
export interface ComponentOutcome {
  readonly state: ManagementState | undefined;
  readonly condition: ConditionUpdate;
  /** The failure; the condition carries it too. */
  readonly error?: unknown;
}

/** Does what the state asks for. Never throws: failures, including an unknown state, are part of the outcome. */
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

/** Adds the outcomes' conditions to a list. */
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
 * Deletes an object that `owner` controls, with a precondition on what was read. `foreign` if another owner or none
 * controls it: then it is left alone.
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
