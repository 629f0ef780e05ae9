import { parseSelector } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { ConfigFacts } from '../model/config.ts';
import type { WantedSource } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { configFacts, NOT_SEEN } from '../want/world.test.support.ts';
import {
  carrying,
  decide,
  digestOf,
  gone,
  inputWith,
  KEY_ID,
  ledgerWith,
  present,
  presentSecret,
  sha1Of,
  shown,
  slotOf,
  verdictOn,
  wantFor,
} from './decide.test.support.ts';

function atVersion(resourceVersion: string, source: WantedSource): WantedSource {
  if (source.state.kind !== 'present') return source;
  const { facts } = source.state;
  const metadata = { ...facts.metadata, resourceVersion };
  return { ...source, state: { kind: 'present', facts: { ...facts, metadata } } };
}

describe('rule 6: never seen before', () => {
  const young = (facts: Parameters<typeof carrying>[1] = {}): WorkloadFacts =>
    carrying(undefined, { createdAt: 4000, ...facts });
  const want = wantFor([
    present('a', 'x', { facts: { writtenAt: 4500 } }),
    present('b', 'y', { facts: { writtenAt: 4200 } }),
    present('c', 'z'),
  ]);

  it('written before the install: adopts without listing pods', () => {
    const verdict = verdictOn(inputWith({ workload: young(), want, install: { at: 4501, keyId: KEY_ID } }));
    expect(verdict).toMatchObject({ action: 'record', because: 'adopted' });
  });

  it('a workload older than the install, and a source written since: asks the pods', () => {
    const input = inputWith({ workload: young(), want, install: { at: 4500, keyId: KEY_ID } });
    expect(decide(input).action).toBe('ask-pods');
  });

  it('no source written since its creation: adopts', () => {
    const sources = wantFor([present('a', 'x', { facts: { writtenAt: 3999 } }), gone('b')]);
    expect(decide(inputWith({ workload: young(), want: sources })).action).toBe('record');
  });

  it.each<[string, Parameters<typeof present>[2], Parameters<typeof young>[0]]>([
    ['a source that was created later', { facts: { createdAt: 4500, writtenAt: 4500 } }, {}],
    ['one that was written before it was annotated', { facts: { writtenAt: 4500 } }, { annotatedAt: 4501 }],
    ['a flag asks, nobody knows since when', { facts: { writtenAt: 4500 }, from: 'setting' }, {}],
    ['its Namespace asks', { facts: { writtenAt: 4500 }, from: 'namespace' }, {}],
    [
      'one that was written before the config that asks',
      { facts: { writtenAt: 4500 }, annotated: false, configs: ['shop/rules'] },
      {},
    ],
  ])('younger, and %s: adopts', (_, options, facts) => {
    const sources = { ...wantFor([present('a', 'x', options)]), configs: [configFacts({ createdAt: 4600 })] };
    expect(decide(inputWith({ workload: young(facts), want: sources })).action).toBe('record');
  });

  describe('with reload-on-create', () => {
    const made = (createdAt: number, facts: object = {}) =>
      wantFor([
        present('a', 'x', { reloadOnCreate: true, facts: { createdAt, writtenAt: createdAt, ...facts } }),
      ]);
    const pods = { readSince: [4001] };

    it('a source that was created later reloads pods that are older', () => {
      const input = inputWith({ workload: young(), want: made(4500) });
      expect(decide(input).action).toBe('ask-pods');
      const verdict = verdictOn({ ...input, pods });
      expect(verdict).toMatchObject({ action: 'reload', differences: [{ finding: 'created' }] });
      expect(verdict.byTimesAlone).toBe(true);
      const seen = verdictOn({ ...input, want: made(4500, { appeared: true }), pods });
      expect(seen.byTimesAlone).toBeUndefined();
      expect(verdictOn({ ...input, pods: { readSince: [4501] } }).action).toBe('record');
    });

    it.each<[string, number, WorkloadFacts]>([
      ['before the workload', 3999, young()],
      ['in the second of the workload', 4000, young()],
      ['before the install', 2999, young({ createdAt: 2000 })],
      ['before the annotation', 4500, young({ annotatedAt: 4501 })],
      ['before the install, and after the workload', 2999, young({ createdAt: 2000, annotatedAt: 2000 })],
    ])('one that was created %s is adopted', (_, createdAt, workload) => {
      expect(decide(inputWith({ workload, want: made(createdAt), pods })).action).toBe('record');
    });

    it('one that was created in the second of the install reloads', () => {
      const workload = young({ createdAt: 2000, annotatedAt: 2000 });
      const input = inputWith({ workload, want: made(3000), pods: { readSince: [2500] } });
      expect(decide(input).action).toBe('reload');
    });

    it('one that was created in the second of the workload, and proven to be younger, reloads', () => {
      const newborn = young({ rollout: { ...young().rollout, observedGeneration: 0 } });
      const at = (resourceVersion: string) =>
        decide(
          inputWith({
            workload: { ...newborn, metadata: { ...newborn.metadata, resourceVersion } },
            want: wantFor(made(4000).sources.map((source) => atVersion('7', source))),
            pods: { readSince: [4000] },
          }),
        ).action;
      expect(at('6')).toBe('reload');
      expect(at('8')).toBe('record');
    });

    it('runs a CronJob only if the creation was seen', () => {
      const workload = young({ kind: 'CronJob' });
      expect(decide(inputWith({ workload, want: made(4500) })).action).toBe('record');
      expect(decide(inputWith({ workload, want: made(4500, { appeared: true }) })).action).toBe('reload');
    });
  });

  it('younger, and a source written after the first opt-in: asks the pods', () => {
    const both = present('a', 'x', { facts: { writtenAt: 4500 }, annotated: true, configs: ['shop/rules'] });
    const sources = { ...wantFor([both]), configs: [configFacts({ createdAt: 4400 })] };
    const workload = young({ annotatedAt: 4600 });
    expect(decide(inputWith({ workload, want: sources })).action).toBe('ask-pods');
  });

  it('a change that we saw before anything was recorded: asks the pods', () => {
    const past = [{ digest: digestOf('w'), keyDigests: '', from: 1000, until: 4500 }];
    const facts = { writtenAt: 4500, past };
    const seen = wantFor([present('a', 'x', { facts })]);
    const install = { at: 4600, keyId: KEY_ID };
    const input = inputWith({ workload: young(), want: seen, install });
    expect(decide(input).action).toBe('ask-pods');
    const old = verdictOn({ ...input, pods: { readSince: [4500] } });
    expect(old.action).toBe('reload');
    expect(old.byTimesAlone, 'it was seen').toBeUndefined();
    expect(verdictOn({ ...input, pods: { readSince: [4501] } }).because).toBe('adopted');
    const late = young({ annotatedAt: 4501 });
    expect(decide({ ...input, workload: late }).action, 'it asked later').toBe('record');
    const same = [{ digest: digestOf('x'), keyDigests: '', from: 1000, until: 4500 }];
    const back = wantFor([present('a', 'x', { facts: { ...facts, past: same } })]);
    expect(decide({ ...input, want: back }).action, 'it is as it was').toBe('record');
  });

  it('younger, and a source written later: asks the pods', () => {
    expect(decide(inputWith({ workload: young(), want }))).toEqual({
      action: 'ask-pods',
      why: 'away',
      waitForRollout: false,
    });
  });

  it('waits for a rollout that may bring the content', () => {
    const input = inputWith({ workload: young({ templateWrittenAt: 4500 }), want });
    expect(decide(input)).toMatchObject({ waitForRollout: true });
  });

  it('reloads for the sources that an old pod cannot have', () => {
    const verdict = verdictOn(inputWith({ workload: young(), want, pods: { readSince: [4300] } }));
    expect(verdict).toMatchObject({ action: 'reload', situation: 'first-sight', recordUrgent: true });
    expect(verdict.reload?.causes.map(({ ref }) => ref.name)).toEqual(['a']);
    expect(verdict.reload?.ledger).toMatchObject({ seq: 1, recent: [{ seq: 1, sources: ['cm/a'] }] });
    expect(verdict.byTimesAlone).toBe(true);
  });

  it('keeps the reload pending in the ledger while it waits', () => {
    const { record } = verdictOn(inputWith({ workload: young(), want, pods: { readSince: [4300] } }));
    expect(shown(record)).toEqual({ 'cm/a': '-', 'cm/b': digestOf('y'), 'cm/c': digestOf('z') });
    const verdict = verdictOn(
      inputWith({ workload: young({ annotations: carrying(record).annotations }), want }),
    );
    expect(verdict).toMatchObject({ action: 'reload', situation: 'recorded' });
  });

  it.each([[[4501]], [[]]])('adopts if the pods were created at %j', (createdAt) => {
    const verdict = verdictOn(inputWith({ workload: young(), want, pods: { readSince: createdAt } }));
    expect(verdict).toMatchObject({ action: 'record', because: 'adopted' });
  });

  it.each(['CronJob', 'Job'] as const)(
    'a %s is not run for a change that we did not observe: adopts',
    (kind) => {
      expect(decide(inputWith({ workload: young({ kind }), want })).action).toBe('record');
    },
  );

  it.each(['CronJob', 'Job'] as const)('a %s runs for a change that we observed', (kind) => {
    const past = [{ digest: digestOf('w'), keyDigests: '', from: 1000, until: 4500 }];
    const seen = wantFor([present('a', 'x', { facts: { writtenAt: 4500, past } })]);
    expect(decide(inputWith({ workload: young({ kind }), want: seen })).action).toBe('reload');
  });

  describe('created and changed within one second', () => {
    const past = [{ digest: digestOf('w'), keyDigests: '', from: 4000, until: 4000, first: true as const }];
    const changed = (version: string) =>
      wantFor([atVersion(version, present('a', 'x', { facts: { createdAt: 4000, writtenAt: 4000, past } }))]);
    const pods = { readSince: [4000] };
    const born = { ...young().rollout, observedGeneration: 0 };
    const newborn = young({ rollout: born });

    it('reloads for a change that we saw, unless the workload is proven to be younger', () => {
      expect(verdictOn(inputWith({ workload: young(), want: changed('9'), pods })).action).toBe('reload');
      const later = { ...newborn, metadata: { ...newborn.metadata, resourceVersion: '10' } };
      expect(verdictOn(inputWith({ workload: later, want: changed('9'), pods })).action).toBe('record');
      const earlier = { ...newborn, metadata: { ...newborn.metadata, resourceVersion: '8' } };
      expect(verdictOn(inputWith({ workload: earlier, want: changed('9'), pods })).action).toBe('reload');
    });

    it('adopts if none of its pods had started', () => {
      const input = inputWith({ workload: young(), want: changed('9'), pods: { readSince: [] } });
      expect(verdictOn(input).because).toBe('adopted');
    });

    it('adopts if we saw it opt in after the change', () => {
      const late = young({ annotatedAt: 4000 });
      const after = { ...late, metadata: { ...late.metadata, resourceVersion: '10' } };
      const input = inputWith({
        workload: after,
        want: changed('9'),
        optInSeen: { ...NOT_SEEN, annotation: '10' },
        pods,
      });
      expect(verdictOn(input).because).toBe('adopted');
      // The workload was written to again after the change, by a controller perhaps.
      expect(verdictOn({ ...input, optInSeen: { ...NOT_SEEN, annotation: '8' } }).action).toBe('reload');
    });

    it('adopts a change before the opt-in that we saw, even without a time in managedFields', () => {
      const earlier = wantFor([present('a', 'x', { facts: { writtenAt: 4500, past } })]);
      const after = young({ annotatedAt: 4000 });
      const workload = { ...after, metadata: { ...after.metadata, resourceVersion: '10' } };
      expect(decide(inputWith({ workload, want: earlier })).action).toBe('ask-pods');
      expect(
        verdictOn(inputWith({ workload, want: earlier, optInSeen: { ...NOT_SEEN, annotation: '10' } }))
          .because,
      ).toBe('adopted');
    });

    it('adopts a change before the opt-in of the Namespace that we saw', () => {
      const changed = { facts: { writtenAt: 4500, past }, from: 'namespace' } as const;
      const want = wantFor([atVersion('7', present('a', 'x', changed))]);
      const input = inputWith({ workload: young(), want, pods });
      expect(verdictOn(input).action).toBe('reload');
      const letIn = (at: number, version: string) => ({
        ...NOT_SEEN,
        namespaces: new Map([['shop', { at, version }]]),
      });
      expect(verdictOn({ ...input, optInSeen: letIn(4500, 'opaque') }).because).toBe('adopted');
      expect(verdictOn({ ...input, optInSeen: letIn(4499, 'opaque') }).action).toBe('reload');
      // resourceVersions decide where they can be compared: our clock may be ahead of the server's.
      expect(verdictOn({ ...input, optInSeen: letIn(4400, '8') }).because).toBe('adopted');
      expect(verdictOn({ ...input, optInSeen: letIn(4600, '6') }).action).toBe('reload');
    });

    it('adopts a change before the Namespace was labelled, if a config selects the source by that', () => {
      const byConfig = { facts: { writtenAt: 4500, past }, annotated: false, configs: ['shop/rules'] };
      const wanted = [atVersion('7', present('a', 'x', byConfig))];
      const config = configFacts({ createdAt: 4000 });
      const selecting = { ...config, namespaceSelector: parseSelector('team=a') };
      const optInSeen = { ...NOT_SEEN, labelled: new Map([['shop', { at: 4600, version: '8' }]]) };
      const input = inputWith({ workload: young(), want: wantFor(wanted), optInSeen, pods });
      const by = (one: ConfigFacts) => verdictOn({ ...input, want: { ...input.want, configs: [one] } });
      expect(by(selecting).because).toBe('adopted');
      expect(by(config).action).toBe('reload');
    });

    it('adopts a change in the second in which we saw a config begin to watch it', () => {
      const byConfig = { facts: { writtenAt: 4500, past }, annotated: false, configs: ['shop/rules'] };
      const want = { ...wantFor([present('a', 'x', byConfig)]), configs: [configFacts({ createdAt: 4500 })] };
      const input = inputWith({ workload: young(), want, pods });
      expect(verdictOn(input).action).toBe('reload');
      expect(verdictOn({ ...input, optInSeen: { ...NOT_SEEN, config: true } }).because).toBe('adopted');
    });
  });

  it('changed and changed back, both observed: only a pod from in between is old', () => {
    const past = [
      { digest: digestOf('x'), keyDigests: '', from: 1000, until: 4500, first: true as const },
      { digest: digestOf('w'), keyDigests: '', from: 4500, until: 4600 },
    ];
    const want = wantFor([present('a', 'x', { facts: { writtenAt: 4600, past } })]);
    const input = inputWith({ workload: young(), want });
    expect(verdictOn({ ...input, pods: { readSince: [4400, 4499, 4601] } }).because).toBe('adopted');
    expect(verdictOn({ ...input, pods: { readSince: [4550] } }).action).toBe('reload');
    expect(verdictOn({ ...input, pods: { readSince: [4500] } }).action).toBe('reload');
    const more = [...past, { digest: digestOf('v'), keyDigests: '', from: 4600, until: 4700 }];
    const twice = wantFor([present('a', 'x', { facts: { writtenAt: 4700, past: more } })]);
    expect(verdictOn({ ...input, want: twice, pods: { readSince: [4650] } }).action).toBe('reload');
  });

  it('holds for a workload that was created anew from a copy, too', () => {
    const workload = carrying(ledgerWith({ uid: 'before' }), { createdAt: 4000 });
    expect(decide(inputWith({ workload, want })).action).toBe('ask-pods');
  });
});

describe('taking over from Stakater Reloader', () => {
  const slot = (name: string, value: string) => ({
    container: 'app',
    containerIndex: 0,
    envIndex: 0,
    name,
    value,
  });
  const withSlots = (...slots: ReturnType<typeof slot>[]): WorkloadFacts => carrying(undefined, { slots });
  const withAnnotation = (text: string): WorkloadFacts =>
    carrying(undefined, { templateAnnotations: { [FIXED_ANNOTATIONS.lastReloadedFrom]: text } });
  const from = (hash: string, more = {}): string =>
    JSON.stringify({ type: 'CONFIGMAP', name: 'app.conf', namespace: 'shop', hash, ...more });
  const want = wantFor([present('app.conf', 'x'), presentSecret('db', 'y')]);
  const foreignOf = (workload: WorkloadFacts) => verdictOn(inputWith({ workload, want })).foreignSlots;

  it.each([sha1Of('x'), slotOf('x')])('a hash of the current content is known: %s', (value) => {
    expect(foreignOf(withSlots(slot('STAKATER_APP_CONF_CONFIGMAP', value)))).toBeUndefined();
    expect(foreignOf(withAnnotation(from(value)))).toBeUndefined();
  });

  it.each(['1'.repeat(40), '1'.repeat(63), '1'.repeat(65), `${'1'.repeat(64)}x`, `x${'1'.repeat(64)}`, ''])(
    'any other is named and adopted: %j',
    (value) => {
      const workload = withSlots(
        slot('STAKATER_DB_SECRET', value),
        slot('STAKATER_APP_CONF_CONFIGMAP', sha1Of('x')),
      );
      const verdict = verdictOn(inputWith({ workload, want }));
      expect(verdict).toMatchObject({
        action: 'record',
        because: 'adopted',
        foreignSlots: ['STAKATER_DB_SECRET'],
      });
      expect(foreignOf(withAnnotation(from(value)))).toEqual([FIXED_ANNOTATIONS.lastReloadedFrom]);
    },
  );

  it.each([
    ['is trusted where it was not computed', undefined, undefined],
    ['of the present content is known', '2'.repeat(64), undefined],
    ['of other content is named', '3'.repeat(64), ['STAKATER_DB_SECRET']],
  ])('a hash of the earlier operator %s', (_, earlier, expected) => {
    const workload = withSlots(slot('STAKATER_DB_SECRET', '2'.repeat(64)));
    const db = presentSecret('db', 'y', earlier === undefined ? {} : { facts: { legacyHash: earlier } });
    expect(verdictOn(inputWith({ workload, want: wantFor([db]) })).foreignSlots).toEqual(expected);
  });

  it('with --takeover=catch-up reloads for those, and for those only', () => {
    const workload = withSlots(
      slot('STAKATER_DB_SECRET', 'old'),
      slot('STAKATER_APP_CONF_CONFIGMAP', sha1Of('x')),
    );
    const verdict = verdictOn(inputWith({ workload, want, settings: { takeover: 'catch-up' } }));
    expect(verdict).toMatchObject({ action: 'reload', foreignSlots: ['STAKATER_DB_SECRET'] });
    expect(verdict.reload?.causes.map(({ ref }) => ref.name)).toEqual(['db']);
  });

  it('with --takeover=catch-up a workload without any slot is adopted', () => {
    const verdict = verdictOn(inputWith({ want, settings: { takeover: 'catch-up' } }));
    expect(verdict.action).toBe('record');
  });

  it('a variable of an unwanted or a deleted source is ignored', () => {
    expect(foreignOf(withSlots(slot('STAKATER_OTHER_CONFIGMAP', 'old')))).toBeUndefined();
    const workload = withSlots(slot('STAKATER_A_CONFIGMAP', 'old'));
    expect(verdictOn(inputWith({ workload, want: wantFor([gone('a')]) })).foreignSlots).toBeUndefined();
  });

  it('a variable that two sources share is known if it matches one of them', () => {
    const workload = withSlots(slot('STAKATER_A_B_CONFIGMAP', sha1Of('y')));
    const shared = wantFor([present('a.b', 'x'), present('a-b', 'y'), gone('a_b')]);
    expect(verdictOn(inputWith({ workload, want: shared })).foreignSlots).toBeUndefined();
    const neither = withSlots(slot('STAKATER_A_B_CONFIGMAP', 'old'));
    expect(verdictOn(inputWith({ workload: neither, want: shared })).foreignSlots).toHaveLength(1);
  });

  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['no hash', JSON.stringify({ type: 'CONFIGMAP', name: 'app.conf' })],
    ['a kind that is no text', from('old', { type: 5 })],
    ['a name that is no text', from('old', { name: 5 })],
    ['another namespace', from('old', { namespace: 'other' })],
    ['another kind', from('old', { type: 'SECRET' })],
    ['another name', from('old', { name: 'other' })],
  ])('an annotation with %s is ignored', (_, text) => {
    expect(foreignOf(withAnnotation(text))).toBeUndefined();
  });

  it('an annotation without a namespace is of the workload’s own', () => {
    expect(foreignOf(withAnnotation(from('old', { namespace: undefined })))).toHaveLength(1);
    expect(foreignOf(withAnnotation(from('old', { namespace: 5 })))).toHaveLength(1);
  });

  it('is over once there is a ledger, or a copy of one', () => {
    const slots = [slot('STAKATER_DB_SECRET', 'old')];
    const copied = carrying(ledgerWith({ uid: 'other' }), { slots });
    expect(verdictOn(inputWith({ workload: copied, want })).foreignSlots).toBeUndefined();
  });
});
