/**
 * One pass over one pod: compares, writes the differences, and records the result for every config.
 *
 * A failed write does not prevent the others; a retryable error is thrown at the end, so that the queue retries with
 * backoff.
 */
import {
  type Client,
  ForbiddenError,
  type Informer,
  keyString,
  type ObjectKey,
  type Reconciler,
} from '@reloader/runtime';
import type { TemplateRenderer } from '../template/renderer.ts';
import type { ConfigFacts } from './configs.ts';
import { type DataOf, dataOf } from './data.ts';
import type { PodConfigMetrics } from './metrics.ts';
import type { GeneratedFacts, PcmcFacts, PodFacts, Trouble } from './model.ts';
import { firstChoice, hashedName, labelValueOf } from './names.ts';
import type { OwnWrites } from './own-writes.ts';
import { isInUse, type Outcome, type Plan, planFor } from './plan.ts';
import type { Progress } from './progress.ts';
import { create, remove, update, type Written } from './writes.ts';

export interface PodReconcilerDependencies {
  readonly writer: Client;
  readonly own: OwnWrites;
  readonly configs: ConfigFacts;
  /** False while the configs of the namespace may not be read: then their absence means nothing. */
  readonly configsKnownIn: (namespace: string) => boolean;
  readonly pods: Pick<Informer<PodFacts>, 'store'> & { syncedIn(namespace: string): boolean };
  readonly made: Pick<Informer<GeneratedFacts>, 'store'>;
  readonly progress: Progress;
  readonly counts: PodConfigMetrics | undefined;
  readonly templates: TemplateRenderer;
  /** Called when the status of a config may have changed. */
  readonly concerns: (config: ObjectKey) => void;
}

/** Names taken by users and quotas are not watched, so the pod is requeued. */
const TROUBLE_RETRY_MS = 60_000;

type Operation = 'create' | 'update' | 'delete';

export function createPodReconciler(dependencies: PodReconcilerDependencies): Reconciler {
  const { own, configs, configsKnownIn, pods, made, progress, counts, concerns } = dependencies;
  const writer = { client: dependencies.writer, own };
  return async ({ namespace = '', name }, { signal }) => {
    // Absent from a cache that is not synced does not mean deleted; after the sync, every pod is enqueued again.
    if (!configsKnownIn(namespace)) return {};
    const all = configs.of(namespace).sort(olderFirst);
    if (all.length > 0 && !pods.syncedIn(namespace)) return {};
    const pod = pods.store.get({ namespace, name });
    // Render before comparing: the existing ConfigMaps may change meanwhile.
    const contents = await contentsOf(pod, all);
    const plan = planFor({
      pod,
      configs: all,
      contents,
      existing: existingFor(namespace, name, all),
      takenByOther: (taken) => {
        const other = own.get({ namespace, name: taken });
        return other?.pod !== undefined && other.pod !== name;
      },
    });
    const { outcomes, again, error } = await carryOut(namespace, pod, plan, signal);
    if (!pod) {
      for (const config of progress.forgetPod(namespace, name)) concerns({ namespace, name: config });
    } else {
      for (const config of all) note(config, name, outcomes.get(config.metadata.name) ?? 'open');
    }
    if (plan.remove.length > 0) for (const { metadata } of all) concerns(keyOf(metadata));
    if (error !== undefined) throw error;
    if (again) return { requeue: true };
    const retries = [...outcomes].some(([config, found]) => found !== plan.outcomes.get(config));
    return retries ? { requeueAfterMs: TROUBLE_RETRY_MS } : {};
  };

  /** A faulty template gives a result, too, with its problem; any other error is retried. */
  async function contentsOf(
    pod: PodFacts | undefined,
    all: readonly PcmcFacts[],
  ): Promise<Map<PcmcFacts, DataOf>> {
    const contents = new Map<PcmcFacts, DataOf>();
    for (const config of pod ? all.filter((each) => isInUse(each, pod)) : [])
      contents.set(config, await dataOf(pod as PodFacts, config, dependencies.templates));
    return contents;
  }

  /** The pod's ConfigMaps in the cache, and those that we just wrote, which can only have these names. */
  function existingFor(namespace: string, pod: string, all: readonly PcmcFacts[]): GeneratedFacts[] {
    const names = new Set<string>();
    for (const { metadata } of made.store.byIndex('pod', `${namespace}/${pod}`)) names.add(metadata.name);
    for (const { metadata } of all) {
      const plain = firstChoice(pod, metadata.name);
      if (plain !== undefined) names.add(plain);
      // Hashing is expensive: there can be a hashed name only if this pod has none with the plain name.
      if (plain === undefined || own.get({ namespace, name: plain })?.pod !== pod)
        names.add(hashedName(pod, metadata.name));
    }
    return [...names].flatMap((name) => {
      const found = own.get({ namespace, name });
      return found?.pod === pod ? [found] : [];
    });
  }

  function note(config: PcmcFacts, pod: string, outcome: Outcome): void {
    const current = configs.get(config.metadata);
    // The config changed meanwhile: the next pass, which that causes, records the result.
    if (current?.metadata.uid !== config.metadata.uid || current.generation !== config.generation) return;
    if (progress.record(config, pod, outcome)) concerns(keyOf(config.metadata));
  }

  async function carryOut(namespace: string, pod: PodFacts | undefined, plan: Plan, signal: AbortSignal) {
    const outcomes = new Map(plan.outcomes);
    let again = false;
    let failure: unknown;
    const attempt = async (
      operation: Operation,
      config: string | undefined,
      write: () => Promise<Written>,
    ): Promise<void> => {
      let written: Written | undefined;
      try {
        written = await write();
      } catch (error) {
        signal.throwIfAborted();
        failure ??= error;
        const message = error instanceof Error ? error.message : String(error);
        if (config !== undefined) outcomes.set(config, { reason: 'WriteFailed', message });
      }
      counts?.operation(operation, namespace, written?.kind === 'done' ? 'success' : 'error');
      if (written?.kind === 'again') {
        again = true;
        if (config !== undefined) outcomes.set(config, 'open');
      }
      if (written?.kind === 'trouble' && config !== undefined) outcomes.set(config, written.trouble);
    };
    for (const wanted of pod ? plan.create : []) {
      await attempt('create', wanted.config.metadata.name, () =>
        create(writer, pod as PodFacts, wanted, signal),
      );
    }
    for (const { wanted, existing } of pod ? plan.update : []) {
      await attempt('update', wanted.config.metadata.name, () =>
        update(writer, pod as PodFacts, wanted, existing, signal),
      );
    }
    for (const existing of plan.remove) {
      await attempt('delete', undefined, async () => {
        try {
          return await remove(writer, existing, signal);
        } catch (error) {
          // A config that is gone has no status; one that selects the pod has another ConfigMap for it.
          for (const [config, outcome] of plan.outcomes)
            if (outcome === 'unselected' && labelValueOf(config) === existing.config)
              outcomes.set(config, leftOver(existing, error));
          throw error;
        }
      });
    }
    return { outcomes, again, error: failure };
  }
}

function leftOver({ metadata }: GeneratedFacts, error: unknown): Trouble {
  const why = error instanceof Error ? error.message : String(error);
  const reason = error instanceof ForbiddenError ? 'Forbidden' : 'WriteFailed';
  return { reason, message: `ConfigMap ${metadata.name} cannot be deleted: ${why}`, leftOver: true };
}

function keyOf({ namespace, name }: PcmcFacts['metadata']): ObjectKey {
  return { namespace, name };
}

function olderFirst(one: PcmcFacts, other: PcmcFacts): number {
  return one.createdAt - other.createdAt || (keyString(one.metadata) < keyString(other.metadata) ? -1 : 1);
}
