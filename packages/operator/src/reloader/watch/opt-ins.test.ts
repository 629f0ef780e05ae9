import { type InformerEvent, parseSelector } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import type { ConfigFacts } from '../model/config.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { NamespaceFacts } from '../model/world.ts';
import {
  configFacts,
  defaultSettings,
  namespaceFacts,
  sourceFacts,
  targetFacts,
  workloadFacts,
} from '../want/world.test.support.ts';
import { OptIns } from './opt-ins.ts';

const AUTO = { 'reloader.stakater.com/auto': 'true' };

function setUp(settings: Partial<ReloaderSettings> = {}) {
  const optIns = new OptIns(defaultSettings(settings), { now: () => 7_900 });
  const handlers: { [kind: string]: (event: InformerEvent<never>) => void } = {};
  const informer = (kind: string) =>
    ({
      addHandler: (handler: (event: InformerEvent<never>) => void) => {
        handlers[kind] = handler;
      },
    }) as never;
  optIns.followWorkloads(informer('workload'));
  optIns.followConfigs(informer('config'));
  optIns.followNamespaces(informer('namespace'));
  optIns.followSources(informer('source'));
  const tell = (kind: string, event: object): void => handlers[kind]?.(event as InformerEvent<never>);
  return {
    workload: (event: Partial<InformerEvent<WorkloadFacts>>) => tell('workload', event),
    config: (event: Partial<InformerEvent<ConfigFacts>>) => tell('config', event),
    namespace: (event: Partial<InformerEvent<NamespaceFacts>>) => tell('namespace', event),
    source: (event: Partial<InformerEvent<SourceFacts>>) => tell('source', event),
    sources: () => Object.fromEntries(optIns.seen(workloadFacts()).sources),
    seen: (facts = workloadFacts()) => {
      const { annotation, config } = optIns.seen(facts);
      return [...(annotation === undefined ? [] : ['annotation']), ...(config ? ['config'] : [])];
    },
    configGoneAt: (facts = workloadFacts()) => optIns.seen(facts).configGoneAt,
    annotatedAt: (facts = workloadFacts()) => optIns.seen(facts).annotation,
    namespaces: () => Object.fromEntries(optIns.seen(workloadFacts()).namespaces),
    labelled: () => Object.fromEntries(optIns.seen(workloadFacts()).labelled),
  };
}

describe('an opt-in that was seen', () => {
  it('by annotation, on the workload or its template', () => {
    for (const annotated of [
      workloadFacts({ annotations: AUTO }),
      workloadFacts({ templateAnnotations: AUTO }),
    ]) {
      const { workload, seen } = setUp();
      workload({ type: 'update', old: workloadFacts(), object: annotated });
      expect(seen()).toEqual(['annotation']);
    }
  });

  it('not by a workload that was created with its annotation, was rolled out, or was re-created', () => {
    const { workload, seen } = setUp();
    const annotated = workloadFacts({ annotations: AUTO });
    workload({ type: 'add', object: annotated, initial: false });
    const rolled = { ...AUTO, 'reloader.stakater.com/ledger': '{}' };
    workload({ type: 'update', old: annotated, object: workloadFacts({ annotations: rolled }) });
    workload({ type: 'update', old: workloadFacts({ uid: 'before' }), object: annotated });
    expect(seen()).toEqual([]);
  });

  it('by a config that was created or changed while we watched', () => {
    const { config, seen } = setUp();
    const object = configFacts({ targets: [targetFacts()] });
    config({ type: 'add', object, initial: true });
    config({ type: 'update', old: object, object });
    expect(seen()).toEqual([]);
    config({ type: 'update', old: object, object: { ...object, generation: 2 } });
    expect(seen()).toEqual(['config']);
    expect(seen(workloadFacts({ name: 'other' }))).toEqual([]);
  });

  it('ended by a config that was deleted, for its targets alone', () => {
    const { config, seen, configGoneAt } = setUp();
    config({ type: 'delete', object: configFacts({ targets: [targetFacts()] }) });
    expect([configGoneAt(), configGoneAt(workloadFacts({ name: 'other' }))]).toEqual([7_900, undefined]);
    expect(seen()).toEqual([]);
  });

  it('by annotation, with the resourceVersion of that moment and not of a later write', () => {
    const { workload, annotatedAt } = setUp();
    const at = (resourceVersion: string, annotations = {}) => {
      const facts = workloadFacts({ annotations });
      return { ...facts, metadata: { ...facts.metadata, resourceVersion } };
    };
    workload({ type: 'update', old: at('4'), object: at('5', AUTO) });
    workload({ type: 'update', old: at('5', AUTO), object: at('6', AUTO) });
    expect(annotatedAt(at('6', AUTO))).toBe('5');
  });

  describe('by its Namespace', () => {
    const SEEN = { shop: { version: '1', at: 7 } };
    const selector = { namespaceSelector: parseSelector('reload=yes') };
    const shop = (labels: Record<string, string>, annotations = {}) =>
      namespaceFacts({ name: 'shop', labels, annotations });

    it('with the time, if its annotation is the default of its workloads', () => {
      const { namespace, namespaces } = setUp({ namespaceDefaults: true });
      namespace({ type: 'update', old: shop({}), object: shop({}) });
      expect(namespaces()).toEqual({});
      namespace({ type: 'update', old: shop({}), object: shop({}, AUTO) });
      expect(namespaces()).toEqual(SEEN);
      namespace({ type: 'delete', object: shop({}, AUTO) });
      expect(namespaces()).toEqual({});
    });

    it('if it allows ReloaderConfigs of another namespace', () => {
      const { namespace, namespaces } = setUp();
      const allowed = { 'reloader.stakater.com/allow-from': 'ops' };
      namespace({ type: 'update', old: shop({}), object: shop({}, allowed) });
      expect(namespaces()).toEqual(SEEN);
    });

    it('not by annotations and labels that opt nothing in, such as a freeze', () => {
      const { namespace, namespaces, labelled } = setUp();
      const frozen = { 'reloader.stakater.com/freeze': 'true' };
      namespace({ type: 'update', old: shop({}), object: shop({}, { ...AUTO, ...frozen }) });
      expect(labelled()).toEqual({});
      namespace({ type: 'update', old: shop({}), object: shop({ team: 'a' }) });
      expect(namespaces()).toEqual({});
    });

    it('perhaps by its labels, for sources that a ReloaderConfig selects by them', () => {
      const { namespace, labelled } = setUp();
      namespace({ type: 'update', old: shop({}), object: shop({ team: 'a' }) });
      expect(labelled()).toEqual(SEEN);
      namespace({ type: 'delete', object: shop({ team: 'a' }) });
      expect(labelled()).toEqual({});
    });

    it('if the selector begins to select it, and not if it was selected before', () => {
      const [out, inside] = [shop({ reload: 'no' }), shop({ reload: 'yes' })];
      const first = setUp(selector);
      first.namespace({ type: 'add', object: out, initial: true });
      first.namespace({ type: 'update', old: out, object: inside });
      expect(first.namespaces()).toEqual(SEEN);
      const back = setUp(selector);
      back.namespace({ type: 'add', object: inside, initial: true });
      back.namespace({ type: 'update', old: inside, object: out });
      back.namespace({ type: 'update', old: out, object: inside });
      expect(back.namespaces()).toEqual({});
    });
  });

  it('by a label or annotation of the source, with what it had before', () => {
    const { source, sources } = setUp();
    const plain = sourceFacts({ digest: 'x' });
    const { uid } = plain.metadata;
    source({ type: 'add', object: plain, initial: false });
    source({ type: 'update', old: plain, object: { ...plain, digest: 'y' } });
    expect(sources()).toEqual({});
    source({ type: 'update', old: plain, object: { ...plain, labels: { a: 'b' } } });
    expect(sources()).toEqual({ [uid]: { digest: 'x', before: { labels: {}, annotations: {} } } });
    source({ type: 'delete', object: plain });
    expect(sources()).toEqual({});
  });

  it('is dropped with the workload, and the oldest are dropped first', () => {
    const { workload, seen } = setUp();
    const annotated = workloadFacts({ annotations: AUTO });
    workload({ type: 'update', old: workloadFacts(), object: annotated });
    workload({ type: 'delete', object: annotated });
    expect(seen()).toEqual([]);
    workload({ type: 'update', old: workloadFacts(), object: annotated });
    for (let number = 0; number < 1000; number += 1) {
      const uid = `uid-${number}`;
      workload({
        type: 'update',
        old: workloadFacts({ uid }),
        object: workloadFacts({ uid, annotations: AUTO }),
      });
    }
    expect(seen()).toEqual([]);
    expect(seen(workloadFacts({ uid: 'uid-0' }))).toEqual(['annotation']);
  });
});
