import type { InformerEvent } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import type { ConfigFacts } from '../model/config.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { NamespaceFacts } from '../model/world.ts';
import {
  configFacts,
  defaultSettings,
  namespaceFacts,
  targetFacts,
  workloadFacts,
} from '../want/world.test.support.ts';
import { OptIns } from './opt-ins.ts';

const AUTO = { 'reloader.stakater.com/auto': 'true' };

function setUp() {
  const optIns = new OptIns(defaultSettings().names, { now: () => 7_900 });
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
  const tell = (kind: string, event: object): void => handlers[kind]?.(event as InformerEvent<never>);
  return {
    workload: (event: Partial<InformerEvent<WorkloadFacts>>) => tell('workload', event),
    config: (event: Partial<InformerEvent<ConfigFacts>>) => tell('config', event),
    namespace: (event: Partial<InformerEvent<NamespaceFacts>>) => tell('namespace', event),
    seen: (facts = workloadFacts()) => {
      const { annotation, config } = optIns.seen(facts);
      return [...(annotation ? ['annotation'] : []), ...(config ? ['config'] : [])];
    },
    namespaces: () => Object.fromEntries(optIns.seen(workloadFacts()).namespaces),
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

  it('by its Namespace, with the time', () => {
    const { namespace, namespaces } = setUp();
    const before = namespaceFacts({ name: 'shop' });
    const after = namespaceFacts({ name: 'shop', annotations: AUTO });
    namespace({ type: 'update', old: before, object: before });
    expect(namespaces()).toEqual({});
    namespace({ type: 'update', old: before, object: after });
    expect(namespaces()).toEqual({ shop: 7 });
    namespace({ type: 'delete', object: after });
    expect(namespaces()).toEqual({});
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
