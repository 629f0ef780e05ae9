import { describe, expect, it } from 'vitest';
import { emptyMemory, remember } from '../ledger/remember.ts';
import type { Memory } from '../model/memory.ts';
import type { WantedSource } from '../model/want.ts';
import {
  carrying,
  decide,
  digestOf,
  gone,
  inputWith,
  ledgerWith,
  NOW,
  present,
  verdictOn,
  wantFor,
} from './decide.test.support.ts';
import type { DecideInput } from './input.ts';

const LEDGER = ledgerWith({ writtenAt: 2000, sources: { 'cm/a': 'x', 'cm/b': 'x' } });
/** `a` was written at second 4000. */
const CHANGED = [present('a', 'y', { facts: { writtenAt: 4000 } }), present('b', 'x')];

const atTemplate = (
  templateDigest: string,
  templateWrittenAt: number,
  sources: readonly WantedSource[] = CHANGED,
  memory?: Memory,
): DecideInput =>
  inputWith({
    workload: carrying(LEDGER, { templateDigest, templateWrittenAt }),
    want: wantFor(sources),
    ...(memory && { memory }),
  });

/** The change was seen under this template, and waits. */
function seenUnder(templateDigest: string, sources: readonly WantedSource[] = CHANGED): Memory {
  const input = atTemplate(templateDigest, 900, sources);
  return remember(undefined, input.workload, decide(input), NOW - 500);
}

describe('rule 5: another client changed the template after the source', () => {
  it('observed by us: records only', () => {
    const verdict = verdictOn(atTemplate('other', 4000, CHANGED, seenUnder('template')));
    expect(verdict).toMatchObject({ action: 'record', because: 'template-changed' });
    expect(verdict.record?.template).toBe('other');
    expect(verdict.record?.pendingSince).toBeUndefined();
  });

  it('observed by us: the verdict stays "template-changed" until the note is written', () => {
    const input = atTemplate('other', 4000, CHANGED, seenUnder('template'));
    const memory = remember(input.memory, input.workload, decide(input), NOW);
    expect(decide({ ...input, memory })).toMatchObject({ because: 'template-changed' });
  });

  it('and not before: the same template is reloaded', () => {
    expect(decide(atTemplate('template', 900, CHANGED, seenUnder('template'))).action).toBe('reload');
  });

  it('then the sources changed again: reloads', () => {
    const more = [present('a', 'z', { facts: { writtenAt: 4100 } }), present('b', 'x')];
    const input = atTemplate('other', 4050, more, seenUnder('template'));
    expect(decide(input).action).toBe('reload');
    const memory = remember(input.memory, input.workload, decide(input), NOW);
    expect(memory.pending).toMatchObject({ template: 'other', firstSeen: NOW - 500, lastSeen: NOW });
  });

  it('only apparently, because its event was late: the pods decide', () => {
    const input = atTemplate('other', 3999, CHANGED, seenUnder('template'));
    expect(decide(input)).toEqual({ action: 'ask-pods', why: 'template-changed', waitForRollout: false });
    expect(verdictOn({ ...input, pods: { readSince: [4000] } }).action).toBe('reload');
    expect(verdictOn({ ...input, pods: { readSince: [4001] } }).action).toBe('record');
  });

  describe('while we were away', () => {
    const away = atTemplate('other', 4000);

    it('asks the pods when the rollout has ended', () => {
      expect(decide(away)).toEqual({ action: 'ask-pods', why: 'template-changed', waitForRollout: true });
    });

    it.each([[[4001]], [[4002]], [[]]])('records if the pods were created at %j', (createdAt) => {
      expect(verdictOn({ ...away, pods: { readSince: createdAt } })).toMatchObject({
        action: 'record',
        because: 'pods-are-new',
      });
    });

    it('records if the pods are new, also for a record of a clock that was ahead', () => {
      const ahead = { ...LEDGER, writtenAt: 4500, sourcesWrittenAt: 1000 };
      const workload = carrying(ahead, { templateDigest: 'other', templateWrittenAt: 4000 });
      const input = { ...away, workload, pods: { readSince: [4001] } };
      expect(verdictOn(input)).toMatchObject({ action: 'record', because: 'pods-are-new' });
    });

    it('reloads if a pod was created in the second of the change: the order is unknown', () => {
      expect(verdictOn({ ...away, pods: { readSince: [4000] } }).action).toBe('reload');
    });

    it('records if one tool wrote source and template in that second', () => {
      const written = CHANGED.map((source) =>
        source.state.kind === 'present'
          ? { ...source, state: { ...source.state, facts: { ...source.state.facts, writtenBy: 'helm' } } }
          : source,
      );
      const released = atTemplate('other', 4000, written);
      const by = (templateWrittenBy: string) =>
        decide({ ...released, workload: { ...released.workload, templateWrittenBy } });
      expect(by('helm')).toMatchObject({ action: 'record', because: 'template-changed' });
      expect(by('kubectl').action, 'another tool').toBe('ask-pods');
      expect(by('').action, 'nobody knows').toBe('ask-pods');
      const later = { ...released.workload, templateWrittenBy: 'helm', templateWrittenAt: 4001 };
      expect(decide({ ...released, workload: later }).action, 'another second').toBe('ask-pods');
      const workload = { ...released.workload, templateWrittenBy: 'helm' };
      const seen = (since: number) =>
        decide({
          ...released,
          workload,
          memory: { ...released.memory, template: { digest: 'other', since } },
        });
      expect(seen(4000).action, 'this release changed it').toBe('record');
      expect(seen(3000).action, 'an earlier one did').toBe('ask-pods');
    });

    it('reloads for a write that is not newer than the record: its time is unknown', () => {
      const removed = [present('a', 'y', { facts: { writtenAt: 900 } }), present('b', 'x')];
      const input = atTemplate('other', 4000, removed);
      expect(verdictOn({ ...input, pods: { readSince: [4000] } }).action).toBe('reload');
      expect(verdictOn({ ...input, pods: { readSince: [] } }).action).toBe('record');
    });

    it('reloads if a pod is older, and does not ask again while the reload waits', () => {
      const verdict = verdictOn({ ...away, pods: { readSince: [3999] } });
      expect(verdict).toMatchObject({ action: 'reload', podsAreOld: true });
      const memory = remember(away.memory, away.workload, verdict, NOW);
      expect(decide({ ...away, memory })).toMatchObject({ action: 'reload', podsAreOld: true });
    });

    it('reloads if one of several pods is older, also by a removed key', () => {
      expect(verdictOn({ ...away, pods: { readSince: [4002, 3999] } }).action).toBe('reload');
      const past = [{ digest: digestOf('x'), keyDigests: '', from: 900, until: 2000 }];
      const removed = (writtenAt: number, observed: boolean) => [
        present('a', 'y', { facts: { writtenAt, ...(observed && { past }) } }),
        present('b', 'x'),
      ];
      const pods = { readSince: [4001] };
      const at = (writtenAt: number, observed: boolean) =>
        verdictOn({ ...atTemplate('other', 4000, removed(writtenAt, observed)), pods }).action;
      expect(at(2000, false), 'in the second of the record').toBe('reload');
      expect(at(2001, false), 'after the record').toBe('record');
      expect(at(2000, true), 'observed, so its time is known').toBe('record');
    });

    it('is one release only if the tool wrote every changed source', () => {
      const by = (writtenBy: string) => present('b', 'y', { facts: { writtenAt: 4000, writtenBy } });
      const first = present('a', 'y', { facts: { writtenAt: 4000, writtenBy: 'helm' } });
      const released = (sources: readonly WantedSource[]) => {
        const input = atTemplate('other', 4000, sources);
        return decide({ ...input, workload: { ...input.workload, templateWrittenBy: 'helm' } }).action;
      };
      expect(released([first, by('helm')])).toBe('record');
      expect(released([first, by('kubectl')])).toBe('ask-pods');
      expect(released([first, gone('b', { reloadOnDelete: true })])).toBe('reload');
    });

    it('asks again when the template is written once more, even as it was', () => {
      const verdict = verdictOn({ ...away, pods: { readSince: [3999] } });
      const memory = remember(away.memory, away.workload, verdict, NOW);
      expect(decide(atTemplate('other', 4001, CHANGED, memory)).action).toBe('ask-pods');
    });

    it('asks again when the template changes once more', () => {
      const verdict = verdictOn({ ...away, pods: { readSince: [3999] } });
      const memory = remember(away.memory, away.workload, verdict, NOW);
      const late = atTemplate('third', 3000, CHANGED, memory);
      expect(decide(late).action).toBe('ask-pods');
    });
  });

  it.each([
    ['the template is the recorded one, written before the ledger', 'template', 2000],
    ['the template was written before the source', 'other', 3999],
  ])('no doubt: %s', (_, template, writtenAt) => {
    expect(decide(atTemplate(template, writtenAt)).action).toBe('reload');
  });

  it('changed and changed back, so that only its write time is new: the pods decide', () => {
    expect(decide(atTemplate('template', 3999)).action).toBe('reload');
    expect(decide(atTemplate('template', 4000)).action).toBe('ask-pods');
  });

  it('by removing only our mark: the pods decide', () => {
    const ledger = { ...LEDGER, seq: 2, writtenAt: 4500, reloadedAt: 4500 };
    const sources = [present('a', 'y', { facts: { writtenAt: 4200 } }), present('b', 'x')];
    const marked = { templateWrittenAt: 4300 };
    const on = (facts: Parameters<typeof carrying>[1]) =>
      decide(inputWith({ workload: carrying(ledger, facts), want: wantFor(sources) })).action;
    expect(on(marked)).toBe('reload');
    expect(on({ ...marked, mark: null })).toBe('ask-pods');
  });

  it('the newest of the changed sources counts, and only those', () => {
    const sources = [
      present('a', 'y', { facts: { writtenAt: 4000 } }),
      present('b', 'y', { facts: { writtenAt: 4100 } }),
      present('c', 'z', { facts: { createdAt: 100, writtenAt: 4900 } }),
    ];
    expect(decide(atTemplate('other', 4099, sources)).action).toBe('reload');
    expect(decide(atTemplate('other', 4100, sources)).action).toBe('ask-pods');
  });

  it('a deletion has no time: reloads, unless we saw the template change after it', () => {
    const deleted = [gone('a', { reloadOnDelete: true }), present('b', 'x')];
    expect(decide(atTemplate('other', 4000, deleted)).action).toBe('reload');
    expect(decide(atTemplate('other', 4000, deleted, seenUnder('template', deleted)))).toMatchObject({
      action: 'record',
      because: 'template-changed',
    });
  });

  it('a CronJob creates no pods by a template change: reloads', () => {
    const input = atTemplate('other', 4000);
    expect(decide({ ...input, workload: { ...input.workload, kind: 'CronJob' } }).action).toBe('reload');
  });
});

it('a change that was taken back while it waited needs no reload', () => {
  const memory = seenUnder('template');
  const back = [present('a', 'x', { facts: { writtenAt: 4010 } }), present('b', 'x')];
  const input = atTemplate('template', 900, back, memory);
  expect(decide(input).action).toBe('nothing');
  expect(remember(memory, input.workload, decide(input), NOW).pending).toBeUndefined();
});

it('names the changes by their content, not by their order', () => {
  const sources = [present('a', 'y'), present('b', 'z')];
  const of = (list: readonly WantedSource[]) => verdictOn(atTemplate('template', 900, list)).fingerprint;
  expect(of(sources)).toBe(of(sources.toReversed()));
  expect(of(sources)).not.toBe(of([present('a', 'y'), present('b', 'w')]));
  expect(emptyMemory('u').pending).toBeUndefined();
});

describe('a template that lost our mark without a new write time', () => {
  it('asks the pods, once its rollout has ended', () => {
    const reloaded = ledgerWith({ seq: 1, reloadedAt: 2000, writtenAt: 2000, sources: { 'cm/a': 'x' } });
    const workload = carrying(reloaded, { templateAnnotations: {}, templateWrittenAt: 900 });
    const want = wantFor([present('a', 'y', { facts: { writtenAt: 4000 } })]);
    const input = inputWith({ workload, want });
    expect(decide(input)).toEqual({ action: 'ask-pods', why: 'template-changed', waitForRollout: true });
    expect(verdictOn({ ...input, pods: { readSince: [4001] } }).action).toBe('record');
    expect(verdictOn({ ...input, pods: { readSince: [4000] } }).action).toBe('reload');
  });
});

describe('a workload that we saw being created after the write', () => {
  /** `a` was written at second 4000, with the resourceVersion that its facts have. */
  const version = CHANGED[0]?.state.kind === 'present' ? CHANGED[0].state.facts.metadata.resourceVersion : '';
  const born = (createdAt: number, bornVersion: string | undefined, sources = CHANGED): DecideInput => {
    const input = atTemplate('template', 900, sources);
    return {
      ...input,
      workload: { ...input.workload, createdAt },
      memory: { ...emptyMemory(input.workload.metadata.uid), ...(bornVersion && { bornVersion }) },
    };
  };
  const later = String(Number(version) + 1);
  const earlier = '0';

  it.each([
    ['in a later second', 4001, earlier, 'record'],
    ['in an earlier second', 3999, later, 'reload'],
    ['in the same second, later by the order of the server', 4000, later, 'record'],
    ['in the same second, earlier by the order of the server', 4000, earlier, 'reload'],
    ['at a version that cannot be compared', 4000, 'x', 'reload'],
    ['or rather not: we only know its time', 4001, undefined, 'reload'],
  ])('%s', (_, createdAt, bornVersion, action) => {
    expect(decide(born(createdAt, bornVersion)).action).toBe(action);
  });

  it('after one of two writes: reloads', () => {
    const both = [
      present('a', 'y', { facts: { writtenAt: 4000 } }),
      present('b', 'y', { facts: { writtenAt: 4002 } }),
    ];
    expect(decide(born(4001, earlier, both)).action).toBe('reload');
    expect(decide(born(4003, earlier, both)).action).toBe('record');
  });

  it('and after every change, whatever is written to other sources: its pods are new', () => {
    const other = [CHANGED[0] as WantedSource, present('b', 'x', { facts: { writtenAt: 4900 } })];
    expect(decide(born(4001, earlier, other))).toMatchObject({ action: 'record', because: 'pods-are-new' });
  });

  it('is adopted if it is a CronJob', () => {
    const input = born(4000, later);
    expect(decide({ ...input, workload: { ...input.workload, kind: 'CronJob' } })).toMatchObject({
      because: 'adopted',
    });
  });

  it.each([
    ['after', later, 'record'],
    ['before', earlier, 'reload'],
  ])('if it is a CronJob, %s the write in its second', (_, bornVersion, action) => {
    const input = born(4000, bornVersion);
    expect(decide({ ...input, workload: { ...input.workload, kind: 'CronJob' } }).action).toBe(action);
  });

  it('but another source went away: reloads', () => {
    const sources = [CHANGED[0] as WantedSource, gone('b', { reloadOnDelete: true })];
    expect(decide(born(4001, earlier, sources)).action).toBe('reload');
  });

  it('is recognised if we first see it before its controller wrote to it', () => {
    const { workload } = born(4001, undefined);
    const seen = (observedGeneration: number, memory?: Memory): Memory => {
      const fresh = { ...workload, rollout: { ...workload.rollout, observedGeneration } };
      return remember(memory, fresh, decide({ ...born(4001, undefined), workload: fresh }), NOW);
    };
    expect(seen(0).bornVersion).toBe(workload.metadata.resourceVersion);
    expect(seen(1).bornVersion).toBeUndefined();
    expect(seen(0, seen(1)).bornVersion).toBeUndefined();
    expect(seen(1, seen(0)).bornVersion).toBe(workload.metadata.resourceVersion);
  });
});
