/**
 * Tells the overlays of a kind what was written. In: writes by kind. Out: the same to every overlay of that kind,
 * and one answer from all of them. `trackWrites` makes a client report its writes here.
 */
import { type ResourceType, resourceName } from '../client/resource.ts';
import type { KubernetesObject, ObjectKey, Stored } from '../model/types.ts';
import type { Cached, InformerEvent } from './informer.ts';
import type { CatchUp, Overlay } from './overlay.ts';

/** Tells the overlays of a program of every write that goes through a tracked client. */
export class WriteTracker {
  readonly #overlays = new Map<string, Set<Overlay<Cached>>>();

  /** From now on this overlay hears of the writes of its kind. Returns how to end that. */
  attach<C extends Cached>(overlay: Overlay<C>): () => void {
    const name = resourceName(overlay.informer.type);
    const overlays = this.#overlays.get(name) ?? new Set();
    this.#overlays.set(name, overlays);
    // It is only ever handed whole objects and events of its own informer.
    const added = overlay as unknown as Overlay<Cached>;
    overlays.add(added);
    return () => void overlays.delete(added);
  }

  /** A write of this key is on its way; call the returned function when its outcome was reported. */
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
