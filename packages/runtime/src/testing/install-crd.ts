/** Installs a CustomResourceDefinition and waits until it is served. */
import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import { CustomResourceDefinition } from '../client/kinds.ts';
import type { ResourceType } from '../client/resource.ts';
import type { Clock } from '../clock/clock.ts';
import { sleep, systemClock } from '../clock/clock.ts';
import { type KubernetesObject, keyOf } from '../model/types.ts';
import { isConditionTrue } from '../objects/conditions.ts';
import { createOrUpdate } from '../objects/create-or-update.ts';

const LOOK_EVERY_MS = 50;

/**
 * Creates or updates the definition, and resolves when its objects can be listed. Under a virtual clock
 * wrap it in `settle`.
 *
 * @example
 * ```ts
 * await settle(clock, installCrd(client, Greeting.crd(), { clock }));
 * ```
 */
export async function installCrd(
  client: Client,
  definition: object,
  options: { readonly clock?: Clock | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const { clock = systemClock, signal } = options;
  const wanted = definition as KubernetesObject & { spec: CrdSpec };
  const { object } = await createOrUpdate(
    client,
    CustomResourceDefinition,
    keyOf(wanted),
    (draft) => {
      draft.spec = wanted.spec as unknown as Record<string, unknown>;
    },
    { clock, ...(signal && { signal }) },
  );
  for (;;) {
    const live = await client.get(CustomResourceDefinition, keyOf(object), signal ? { signal } : {});
    const status = live.status as { conditions?: Parameters<typeof isConditionTrue>[0] } | undefined;
    if (isConditionTrue(status?.conditions, 'Established') && (await isServed(client, wanted.spec))) return;
    await sleep(clock, LOOK_EVERY_MS, signal);
  }
}

interface CrdSpec {
  readonly group: string;
  readonly scope: string;
  readonly names: { readonly kind: string; readonly plural: string };
  readonly versions: readonly { readonly name: string; readonly served: boolean }[];
}

/** A definition is established a moment before its path answers. */
async function isServed(client: Client, { group, scope, names, versions }: CrdSpec): Promise<boolean> {
  const version = versions.find(({ served }) => served)?.name ?? '';
  const type: ResourceType = { group, version, ...names, namespaced: scope === 'Namespaced' };
  try {
    await client.list(type, { limit: 1 });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return false;
    throw error;
  }
}
