/**
 * Forwards writes to the overlays of a kind. In: writes by kind. Out: the same calls on every overlay of that kind,
 * and one combined answer. `trackWrites` makes a client report its writes here.
 */
import { type ResourceType, resourceName } from '../client/resource.ts';
import type { KubernetesObject, ObjectKey, Stored } from '../model/types.ts';
import type { Cached, InformerEvent } from './informer.ts';
import type { CatchUp, Overlay } from './overlay.ts';

/** Forwards every write of a tracked client to the program's overlays. */
export class WriteTracker {
  readonly #overlays = new Map<string, Set<Overlay<Cached>>>();

  /** Adds an overlay, which is told about writes of its kind. Returns a function that removes it. */
  attach<C extends Cached>(overlay: Overlay<C>): () => void {
    const name = resourceName(overlay.informer.type);
    const overlays = this.#overlays.get(name) ?? new Set();
    this.#overlays.set(name, overlays);
    // The overlay only ever gets whole objects and events of its own informer.
    const added = overlay as unknown as Overlay<Cached>;
    overlays.add(added);
    return () => void overlays.delete(added);
  }

  /** Announces a write of this key; call the returned function after its outcome was reported. */
  begin(type: ResourceType, key: ObjectKey): () => void {
    const ends = this.#of(type).map((overlay) => overlay.begin(key));
    return () => {
      for (const end of ends) end();
    };
  }

  onWritten(type: ResourceType, object: Stored<KubernetesObject>, writer?: string): void {
    for (const overlay of this.#of(type)) overlay.onWritten(object, writer);
  }

  onRead(type: ResourceType, object: Stored<KubernetesObject>): void {
    for (const overlay of this.#of(type)) overlay.onRead(object);
  }

  onDeleted(type: ResourceType, key: ObjectKey, uid?: string): void {
    for (const overlay of this.#of(type)) overlay.onDeleted(key, uid);
  }

  onUnknownOutcome(type: ResourceType, key: ObjectKey): void {
    for (const overlay of this.#of(type)) overlay.onUnknownOutcome(key);
  }

  isOwnWrite(type: ResourceType, event: InformerEvent<Cached>, writer?: string): boolean {
    return this.#of(type).some((overlay) => overlay.isOwnWrite(event, writer));
  }

  /** `caught-up` when every cache of this kind shows our writes of the key. */
  async waitFor(type: ResourceType, key: ObjectKey, signal?: AbortSignal): Promise<CatchUp> {
    const all = await Promise.all(this.#of(type).map((overlay) => overlay.waitFor(key, signal)));
    return all.includes('timeout') ? 'timeout' : 'caught-up';
  }

  #of(type: ResourceType): readonly Overlay<Cached>[] {
    return [...(this.#overlays.get(resourceName(type)) ?? [])];
  }
}
