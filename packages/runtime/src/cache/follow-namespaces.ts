/** Keeps an informer's set of namespaces equal to the cluster's, for example all with a certain label. */
import type { Cached, HandlerRegistration, Informer } from './informer.ts';

/**
 * Sets the namespaces of `target` to those in `source` (an informer of Namespaces, with or without a label selector)
 * that `accept` returns true for. Starts when `source` is synced. `remove` stops following and leaves the set as it
 * is.
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
    // A thousand namespaces can arrive at once: coalesce them into one change of the set.
    if (scheduled) return;
    scheduled = true;
    queueMicrotask(follow);
  };
  const registration = source.addHandler(schedule);
  const scheduleIfEmpty = (): void => {
    if (source.store.size === 0) schedule();
  };
  // An empty cluster sends no event. If the source stops before it is synced, there is nothing to follow.
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
