/**
 * SecretProviderClasses as sources: the newest pod status of each, with the annotations of the class.
 *
 * The newest status that this process saw counts until a newer one comes, even after its pod is deleted: a remaining
 * pod with older content does not revert the class.
 */
import { compareVersions, type Informer } from '@reloader/runtime';
import {
  type PodStatusFacts,
  type ProviderClassFacts,
  sourceOfProviderClass,
} from '../digest/provider-class.ts';
import type { SourceFacts } from '../model/source-facts.ts';

interface ClassKey {
  readonly namespace: string;
  readonly name: string;
}

export class ProviderClassView {
  readonly #newest = new Map<string, PodStatusFacts>();
  readonly #classes: Informer<ProviderClassFacts> | undefined;

  constructor(statuses: Informer<PodStatusFacts>, classes: Informer<ProviderClassFacts> | undefined) {
    this.#classes = classes;
    statuses.addHandler((event) => {
      if (event.type !== 'delete') this.#learn(event.object);
    });
    classes?.addHandler((event) => {
      // The newest status is kept until the class itself is deleted.
      if (event.type === 'delete') this.#newest.delete(nameOf(event.object.metadata));
    });
  }

  get(key: ClassKey): SourceFacts | undefined {
    const status = this.#newest.get(nameOf(key));
    return status && sourceOfProviderClass(status, this.#classes?.store.get(key));
  }

  *list(namespace: string): Iterable<SourceFacts> {
    for (const status of this.#newest.values()) {
      if (status.metadata.namespace !== namespace) continue;
      yield sourceOfProviderClass(status, this.#classes?.store.get({ namespace, name: status.className }));
    }
  }

  #learn(status: PodStatusFacts): void {
    if (status.className === '') return;
    const key = nameOf({ namespace: status.metadata.namespace, name: status.className });
    const known = this.#newest.get(key);
    if (!known || isNewer(status, known)) this.#newest.set(key, status);
  }
}

function isNewer(a: PodStatusFacts, b: PodStatusFacts): boolean {
  if (a.writtenAt !== b.writtenAt) return a.writtenAt > b.writtenAt;
  return (compareVersions(a.metadata.resourceVersion, b.metadata.resourceVersion) ?? 1) > 0;
}

function nameOf({ namespace, name }: ClassKey): string {
  return `${namespace}/${name}`;
}
