/** Installs our definitions and waits until they are served. For demos and tests; clusters get them from the chart. */

import type { Condition, KubernetesObject } from '@reloader/runtime';
import { type Client, type Clock, findCondition, kinds, sleep, systemClock } from '@reloader/runtime';
import { podConfigMapConfigCrd } from './pod-config-map-config.ts';
import { reloaderConfigCrd } from './reloader-config.ts';

export interface ApplyCrdsOptions {
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Defaults to ours. */
  readonly definitions?: readonly KubernetesObject[];
}

const LOOK_AGAIN_MS = 50;

export async function applyCrds(client: Client, options: ApplyCrdsOptions = {}): Promise<void> {
  const { signal, clock = systemClock, definitions = [reloaderConfigCrd, podConfigMapConfigCrd] } = options;
  const request = { ...(signal && { signal }) };
  const type = kinds.CustomResourceDefinition;
  for (const definition of definitions) {
    await client.apply(type, definition, { ...request, fieldManager: 'Reloader', force: true });
  }
  for (const { metadata } of definitions) {
    const key = { name: metadata?.name ?? '' };
    for (;;) {
      const { status } = await client.get(type, key, request);
      const conditions = status?.conditions as Condition[] | undefined;
      if (findCondition(conditions, 'Established')?.status === 'True') break;
      await sleep(clock, LOOK_AGAIN_MS, signal);
    }
  }
}
