import type { InformerEvent } from '@reloader/runtime';
import { describe, expect, test } from 'vitest';
import { configFacts, namespaceFacts, sourceFacts } from '../want/world.test.support.ts';
import { Revisions } from './revisions.ts';

type Handler = (event: InformerEvent<never>) => void;

function informer(): { addHandler: (handler: Handler) => never; send: (event: object) => void } {
  const handlers: Handler[] = [];
  return {
    addHandler: (handler) => handlers.push(handler) as never,
    send: (event) => {
      for (const handler of handlers) handler(event as never);
    },
  };
}

function followed() {
  const revisions = new Revisions();
  const [sources, configs, namespaces] = [informer(), informer(), informer()];
  revisions.followSources(sources);
  revisions.followConfigs(configs);
  revisions.followNamespaces(namespaces);
  return { revisions, sources, configs, namespaces };
}

describe('the revision of a namespace', () => {
  test('is another one after a change of a source there, and the same for other namespaces', () => {
    const { revisions, sources } = followed();
    const before = [revisions.of('lab'), revisions.of('other'), revisions.of('')];
    const object = sourceFacts({ kind: 'Secret', name: 'db' });
    sources.send({ type: 'update', old: object, object });
    expect(revisions.of(object.metadata.namespace)).not.toBe(before[0]);
    expect([revisions.of('other'), revisions.of('')]).toEqual(before.slice(1));
  });

  test('is another one after a change of a config, and the same after a write of its status', () => {
    const { revisions, configs } = followed();
    const old = configFacts({ name: 'rules' });
    const { namespace } = old.metadata;
    configs.send({ type: 'update', old, object: { ...old, status: { pending: '1' } } });
    expect(revisions.of(namespace)).toBe(0);
    configs.send({ type: 'update', old, object: { ...old, generation: old.generation + 1 } });
    const changed = revisions.of(namespace);
    expect(changed).not.toBe(0);
    configs.send({ type: 'update', old, object: { ...old, ignored: !old.ignored } });
    expect(revisions.of(namespace)).not.toBe(changed);
  });

  test('changes with its Namespace, and so does the one of all Namespaces', () => {
    const { revisions, namespaces } = followed();
    const object = namespaceFacts();
    namespaces.send({ type: 'add', object });
    const [own, all] = [revisions.of(object.metadata.name), revisions.of('')];
    expect(own).not.toBe(0);
    namespaces.send({ type: 'delete', object });
    namespaces.send({ type: 'add', object });
    expect(revisions.of(object.metadata.name)).not.toBe(own);
    expect(revisions.of('')).not.toBe(all);
  });
});
