/** What went wrong for which pod, by config: read by the statuses, replaced by every pass over a pod. */
import type { Trouble } from './model.ts';

export class Troubles {
  /** namespace/config → pod → trouble. */
  readonly #byConfig = new Map<string, Map<string, Trouble>>();

  set(namespace: string, pod: string, found: ReadonlyMap<string, Trouble>): void {
    for (const [key, pods] of this.#byConfig) {
      if (!key.startsWith(`${namespace}/`) || found.has(key.slice(namespace.length + 1))) continue;
      pods.delete(pod);
      if (pods.size === 0) this.#byConfig.delete(key);
    }
    for (const [config, trouble] of found) {
      const key = `${namespace}/${config}`;
      const pods = this.#byConfig.get(key) ?? new Map<string, Trouble>();
      this.#byConfig.set(key, pods.set(pod, trouble));
    }
  }

  /** By pod. */
  of(namespace: string, config: string): ReadonlyMap<string, Trouble> {
    return this.#byConfig.get(`${namespace}/${config}`) ?? new Map();
  }
}
