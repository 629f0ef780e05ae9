/** Shared by the tests of this folder: a kind, an informer filled by hand, and a controller on a virtual clock. */
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { RunSignals } from '../lifecycle/runnable.ts';
import { createRegistry } from '../metrics/registry.ts';
import type { ObjectKey, OwnerReference } from '../model/types.ts';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { FakeInformer } from '../testing/fake-informer.ts';
import { metricValue } from '../testing/metric-value.ts';
import { createController } from './controller.ts';
import type { ControllerOptions } from './options.ts';
import { forKind } from './sources.ts';

export const Widget = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
} as const;

export const ConfigMap = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
} as const;

export interface CachedWidget {
  readonly metadata: {
    readonly namespace?: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly OwnerReference[];
  };
  readonly color?: string;
}

/** `widget('a/b', '7', {...})`: namespace a, name b, resourceVersion 7. */
export function widget(
  key: string,
  resourceVersion = '1',
  more: Partial<CachedWidget['metadata']> & { readonly color?: string } = {},
): CachedWidget {
  const [namespace = '', name = ''] = key.split('/');
  const { color, ...metadata } = more;
  return {
    metadata: { namespace, name, uid: `uid-${key}`, resourceVersion, ...metadata },
    ...(color === undefined ? {} : { color }),
  };
}

export function createSignals(): RunSignals & { stop(): void; abortNow(): void } {
  const stopping = new AbortController();
  const abort = new AbortController();
  return {
    stopping: stopping.signal,
    abort: abort.signal,
    stop: () => stopping.abort(new Error('stopping')),
    abortNow: () => abort.abort(new Error('out of time')),
  };
}

export type HarnessOptions = Partial<ControllerOptions<ObjectKey>>;

/** A controller of widgets, in sync and started unless told otherwise. */
export async function startController(options: HarnessOptions = {}, { synced = true } = {}) {
  const clock = new VirtualClock();
  const log = createCapturingLogger();
  const metrics = createRegistry();
  const widgets = new FakeInformer<CachedWidget>(Widget);
  const signals = createSignals();
  const controller = createController({
    name: 'widget',
    sources: [forKind(widgets)],
    reconcile: () => undefined,
    clock,
    logger: log.logger,
    metrics,
    ...options,
  });
  void widgets.run(signals.stopping);
  if (synced) widgets.sync();
  const ended = controller.start(signals);
  // Tests that expect a failure await `ended`; all others must not fail because of it.
  ended.catch(() => undefined);
  await clock.settle();
  const value = (name: string, labels: Record<string, string> = {}): number | undefined =>
    metricValue(metrics, `controller_runtime_${name}`, { controller: 'widget', ...labels });
  return { clock, log, metrics, value, widgets, signals, controller, ended };
}
