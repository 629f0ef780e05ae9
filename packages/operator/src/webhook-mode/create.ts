/**
 * Webhook mode: instead of reloading anything, a POST for every change of a Secret or ConfigMap.
 *
 * In: events of sources. Out: requests to one URL. Guarantees: nothing waits for the endpoint but its own queue, which
 * holds a source once however often it changes; after the last change of a source there is at least one POST, retried
 * until the endpoint accepts or refuses it. Only the leader posts. Not guaranteed: changes while no operator runs are
 * not seen, because the baseline is in memory; several changes in a row may become one POST if the endpoint is slow.
 */
import {
  type CacheLike,
  type Client,
  type Clock,
  cacheOf,
  cacheRunnable,
  createController,
  createInformer,
  exponentialBackoff,
  type KindKey,
  kindKeys,
  type Logger,
  type Metrics,
  type Runnable,
} from '@reloader/runtime';
import { Namespaces } from '../reloader/model/kinds.ts';
import type { ReloaderSettings } from '../reloader/model/settings.ts';
import { namespaceFacts } from '../reloader/project/namespace-projection.ts';
import {
  type InScope,
  type WatchedKind,
  watchConfigMaps,
  watchProviderClasses,
  watchSecrets,
} from './changes.ts';
import { type Fetch, post } from './post.ts';

export interface WebhookModeOptions {
  readonly settings: ReloaderSettings;
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Defaults to Node's. */
  readonly fetch?: Fetch;
}

export interface WebhookMode {
  readonly runnables: readonly Runnable[];
  /** Of the caches that it requires. */
  health: CacheLike['health'];
}

const CONCURRENCY = 4;
const TIMEOUT_MS = 10_000;

export function createWebhookMode(options: WebhookModeOptions): WebhookMode {
  const { settings, client, clock, logger, metrics, fetch = globalThis.fetch } = options;
  const url = settings.webhookUrl;
  if (url === undefined) throw new TypeError('Webhook mode needs a URL: settings.webhookUrl is not set');
  const environment = { client, clock, logger, metrics };
  const scope = scopeOf(options);
  const sources: WatchedKind[] = [];
  if (!settings.ignoredSources.has('ConfigMap'))
    sources.push(watchConfigMaps(settings, environment, scope.inScope));
  if (!settings.ignoredSources.has('Secret'))
    sources.push(watchSecrets(settings, environment, scope.inScope));
  const optional = settings.csi ? [watchProviderClasses(settings, environment, scope.inScope)] : [];
  const posts = metrics.counter({
    name: 'reloader_webhook_posts_total',
    help: 'POSTs to the webhook, by result',
    labelNames: ['result'],
    initial: [{ result: 'success' }, { result: 'error' }],
  });
  const controller = createController<KindKey>({
    name: 'webhook',
    keys: kindKeys,
    sources: [...sources, ...optional].map(({ source }) => source),
    // A change is posted by the replica that leads at that time.
    warmup: false,
    concurrency: CONCURRENCY,
    timeoutMs: TIMEOUT_MS,
    queue: { backoff: exponentialBackoff({ baseMs: 1_000, maxMs: 60_000 }) },
    async reconcile({ kind, namespace, name }, context) {
      try {
        await post(fetch, url, context.signal);
        posts.inc({ result: 'success' });
        context.logger.info('Told the webhook about a change', { kind, namespace, name });
      } catch (error) {
        posts.inc({ result: 'error' });
        throw error;
      }
    },
    clock,
    logger,
    metrics,
  });
  const caches = cacheOf([...scope.informers, ...sources.map(({ informer }) => informer)]);
  return {
    health: () => caches.health(),
    runnables: [
      cacheRunnable(caches, { clock }),
      ...optional.map(({ informer }) =>
        cacheRunnable(cacheOf([informer]), { name: 'optional caches', clock, required: false }),
      ),
      controller,
    ],
  };
}

/** By namespace list, ignore list and selector. Only the selector requires a cache of Namespaces. */
function scopeOf({ settings, client, clock, logger, metrics }: WebhookModeOptions) {
  const { namespacesToIgnore, namespaceSelector, names } = settings;
  if (!namespaceSelector) {
    const inScope: InScope = (namespace) => !namespacesToIgnore.has(namespace);
    return { informers: [], inScope };
  }
  const informer = createInformer({
    client,
    clock,
    logger,
    metrics,
    type: Namespaces,
    project: (namespace) => namespaceFacts(namespace, names),
  });
  const inScope: InScope = (name) => {
    const namespace = informer.store.get({ name });
    return (
      namespace !== undefined && !namespacesToIgnore.has(name) && namespaceSelector.matches(namespace.labels)
    );
  };
  return { informers: [informer], inScope };
}
