/**
 * Reports annotations of our domain on Secrets, ConfigMaps and Namespaces that this version does not know. Those of
 * workloads are found in their passes; nothing else checks these objects.
 *
 * In: the caches. Out: a Warning Event on the object, which a restart of the operator does not repeat. It is a
 * controller, so that thousands of mistyped objects are processed through a queue, and only by the leader.
 */
import {
  type Cached,
  type Clock,
  type Controller,
  createController,
  type EventRecorder,
  type Informer,
  type KindKey,
  kindKeys,
  LOW_PRIORITY,
  type Logger,
  type Source,
} from '@reloader/runtime';
import type { AnnotationNames } from '../model/annotations.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import type { NamespaceFacts } from '../model/world.ts';
import { hasUnknown, unknownOn } from '../want/unknown-annotations.ts';

export interface UnknownAnnotationOptions {
  readonly sources: readonly Informer<SourceFacts>[];
  /** Undefined without the right to read Namespaces. */
  readonly namespaces: Informer<NamespaceFacts> | undefined;
  readonly inScope: (namespace: string) => boolean;
  readonly names: AnnotationNames;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Limit for one object: a user who writes thousands of Secrets must not fill the queue of Events. */
const MOST_TOLD = 3;

type Annotated = Cached & Pick<NamespaceFacts, 'annotations'>;

export function tellUnknownAnnotations(options: UnknownAnnotationOptions): Controller<KindKey> {
  const { sources, namespaces, inScope, names, events, clock, logger } = options;
  const informers = new Map<string, Informer<Annotated>>();
  for (const informer of sources) informers.set(informer.type.kind, informer);
  if (namespaces) informers.set(namespaces.type.kind, namespaces);
  return createController<KindKey>({
    name: 'unknown-annotations',
    keys: kindKeys,
    concurrency: 1,
    sources: [...informers.values()].map((informer) => mistyped(informer, names)),
    async reconcile({ kind, ...key }) {
      const object = informers.get(kind)?.store.get(key);
      if (!object || !inScope(key.namespace ?? key.name)) return;
      const { name, namespace, uid = '', resourceVersion = '' } = object.metadata;
      const about = { apiVersion: 'v1', kind, name, uid, resourceVersion, ...(namespace && { namespace }) };
      for (const { field, reason, message } of unknownOn(object.annotations, `the ${kind}`, names, MOST_TOLD))
        events.record(about, 'Warning', reason, `${field}: ${message}`, { standing: true });
    },
    clock,
    logger,
  });
}

/** Enqueues new or changed objects with an unknown annotation. It reports itself synced, so no start waits for it. */
function mistyped(informer: Informer<Annotated>, names: AnnotationNames): Source<KindKey> {
  const { kind } = informer.type;
  return {
    name: kind,
    attach(sink) {
      const registration = informer.addHandler((event) => {
        const { object, type } = event;
        if (type === 'delete' || !hasUnknown(object.annotations, names)) return;
        if (type === 'update' && sameNames(event.old.annotations, object.annotations)) return;
        const { namespace, name } = object.metadata;
        const cause = { event: type, source: kind, namespace, name };
        const replay = type === 'add' && event.initial;
        sink.enqueue(
          { kind, name, ...(namespace && { namespace }) },
          { priority: LOW_PRIORITY, cause, replay },
        );
      });
      return { synced: true, remove: () => registration.remove() };
    },
  };
}

function sameNames(before: Annotated['annotations'], after: Annotated['annotations']): boolean {
  return before === after || Object.keys(before).join() === Object.keys(after).join();
}
