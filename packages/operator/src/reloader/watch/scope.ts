/**
 * Which namespaces are ours: a fixed list, or all but those that are ignored, or those whose labels are selected. Labels
 * may change at any time, so this is asked, never stored.
 */
import type { ReadonlyStore } from '@reloader/runtime';
import type { ReloaderSettings } from '../model/settings.ts';
import type { NamespaceFacts } from '../model/world.ts';

export type ScopeSettings = Pick<ReloaderSettings, 'namespaces' | 'namespacesToIgnore' | 'namespaceSelector'>;

export function createScope(
  settings: ScopeSettings,
  /** Undefined where namespaces cannot be read: then all count as selected. */
  namespaces: ReadonlyStore<NamespaceFacts> | undefined,
): (namespace: string) => boolean {
  const { namespacesToIgnore, namespaceSelector } = settings;
  // Ignoring and selecting are for those who watch everything, as with Stakater.
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
