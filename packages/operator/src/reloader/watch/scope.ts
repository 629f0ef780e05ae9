/**
 * The namespaces in scope: a fixed list, or all except ignored ones, or those whose labels are selected. Labels may
 * change at any time, so the result is computed each time, never stored.
 */
import type { ReadonlyStore } from '@reloader/runtime';
import type { ReloaderSettings } from '../model/settings.ts';
import type { NamespaceFacts } from '../model/world.ts';

export type ScopeSettings = Pick<ReloaderSettings, 'namespaces' | 'namespacesToIgnore' | 'namespaceSelector'>;

export function createScope(
  settings: ScopeSettings,
  /** Undefined if Namespaces cannot be read: then all count as selected. */
  namespaces: ReadonlyStore<NamespaceFacts> | undefined,
): (namespace: string) => boolean {
  const { namespacesToIgnore, namespaceSelector } = settings;
  // As in Stakater, ignoring and selecting apply only if all namespaces are watched.
  if (settings.namespaces.length > 0) {
    const listed = new Set(settings.namespaces);
    return (namespace) => listed.has(namespace);
  }
  return (namespace) => {
    if (namespacesToIgnore.has(namespace)) return false;
    if (!namespaceSelector || !namespaces) return true;
    const facts = namespaces.get({ name: namespace });
    return facts !== undefined && namespaceSelector.matches(facts.labels);
  };
}
