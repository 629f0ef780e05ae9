/** Lets the namespaces of an informer follow those of the cluster, for example all with a certain label. */
import type { Cached, HandlerRegistration, Informer } from './informer.ts';

/**
 * Keeps `target` at the namespaces that `source` holds (an informer of Namespaces, with a label selector of its
 * own or not) and that `accept` lets through. Begins when `source` is synced. `remove` stops following and leaves
 * the set as it is.
 */
export function followNamespaces<C extends Cached>(
  source: Informer<C>,
  target: { setNamespaces(namespaces: Iterable<string>): void },
  accept: (namespace: C) => boolean = () => true,
): HandlerRegistration {
  let following = true;
  let scheduled = false;
  const follow = (): void => {
    scheduled = false;
    if (!following) return;
    target.setNamespaces([...source.store.list()].filter(accept).map(({ metadata }) => metadata.name));
  };
  const schedule = (): void => {
    // A thousand namespaces arrive at once: one change of the set is enough.
    if (scheduled) return;
    scheduled = true;
    queueMicrotask(follow);
  };
  const registration = source.addHandler(schedule);
  const scheduleIfEmpty = (): void => {
    if (source.store.size === 0) schedule();
  };
  // An empty cluster sends no event. If the source ends before it is synced there is nothing to follow.
  source.whenSynced().then(scheduleIfEmpty, () => {});
  return {
    get synced() {
      return registration.synced && !scheduled;
    },
    remove: () => {
      following = false;
      registration.remove();
    },
  };
}
