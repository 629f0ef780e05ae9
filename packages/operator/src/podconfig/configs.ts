/** Configs as facts: read from the cache of their objects, each converted once. */
import type { ObjectKey, ReadonlyStore, Stored } from '@reloader/runtime';
import type { PcmcFacts, PodConfigMapConfig } from './model.ts';
import { projectConfig } from './project.ts';

type Config = Stored<PodConfigMapConfig>;

/** A changed object is a new object, so the facts of the old one are collected with it. */
const known = new WeakMap<Config, PcmcFacts>();

export function factsOf(config: Config): PcmcFacts {
  const facts = known.get(config) ?? projectConfig(config);
  known.set(config, facts);
  return facts;
}

export class ConfigFacts {
  readonly #store: Pick<ReadonlyStore<Config>, 'get' | 'list'>;

  constructor(store: Pick<ReadonlyStore<Config>, 'get' | 'list'>) {
    this.#store = store;
  }

  get(key: ObjectKey): PcmcFacts | undefined {
    const config = this.#store.get(key);
    return config && factsOf(config);
  }

  of(namespace: string): PcmcFacts[] {
    return Array.from(this.#store.list(namespace), factsOf);
  }
}
