import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatLedger } from '../ledger/ledger.ts';
import { baseOf, NO_BASE } from '../ledger/note.ts';
import { afterNote, afterPatch, emptyMemory, remember } from '../ledger/remember.ts';
import type { Decision, PodEvidence, Verdict } from '../model/decision.ts';
import type { Ledger, LedgerEntry } from '../model/ledger.ts';
import type { Memory } from '../model/memory.ts';
import type { WantedSource } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import {
  asVerdict,
  carrying,
  decide,
  digestOf,
  gone,
  inputWith,
  ledgerWith,
  markFor,
  memoryOf,
  NOW,
  present,
  presentSecret,
  unknown,
  wantFor,
} from './decide.test.support.ts';
import type { DecideInput } from './input.ts';

const NAMES = ['a', 'b', 'c', 'd'] as const;
const content = fc.constantFrom('x', 'y', 'z');
const second = fc.integer({ min: 1000, max: 4999 });

const options = fc.record({ reloadOnCreate: fc.boolean(), reloadOnDelete: fc.boolean() });
const facts = fc.record({ createdAt: second, writtenAt: second });
const sourceNamed = (name: string): fc.Arbitrary<WantedSource> =>
  fc
    .tuple(
      fc.constantFrom('present', 'present', 'secret', 'keys', 'gone', 'unknown'),
      content,
      options,
      facts,
    )
    .map(([state, text, flags, times]) => {
      if (state === 'gone') return gone(name, flags);
      if (state === 'unknown') return unknown(name, flags);
      if (state === 'secret') return presentSecret(name, text, { ...flags, facts: times });
      return present(name, text, { ...flags, facts: times, ...(state === 'keys' && { keys: ['k'] }) });
    });
const wanted = fc
  .subarray([...NAMES])
  .chain((names) => fc.tuple(...names.map(sourceNamed)) as fc.Arbitrary<WantedSource[]>);

const entry: fc.Arbitrary<LedgerEntry> = fc.oneof(
  content.map((text) => ({ digest: digestOf(text) })),
  content.map((text) => ({ digest: digestOf(text), gone: true as const })),
  fc.constant({ digest: '-', gone: true as const }),
  fc.constant({ digest: '-' }),
);
const ledger: fc.Arbitrary<Ledger> = fc
  .record({
    seq: fc.nat({ max: 3 }),
    writtenAt: second,
    keyId: fc.constantFrom('key1', 'key1', 'key0'),
    entries: fc.dictionary(fc.constantFrom('cm/a', 'cm/b', 'cm/c', 'secret/a', 'secret/d'), entry),
    pending: fc.boolean(),
  })
  .map(({ seq, writtenAt, keyId, entries, pending }) =>
    ledgerWith({
      seq,
      writtenAt,
      keyId,
      sources: entries,
      ...(seq > 0 && { reloadedAt: writtenAt }),
      ...(pending && { pendingSince: writtenAt }),
    }),
  );

/** `seen`: the ledger was on the workload; otherwise it was only noted. */
const remembered = (known: Ledger | undefined, seen: boolean): Memory =>
  known ? (seen ? memoryOf(known) : memoryOf(known, NO_BASE)) : emptyMemory('uid-web');

/** With the highest number there is: reverts have their own tests, and take two steps. */
const markOf = (of: Ledger | undefined): string | null => (of ? markFor(3, of.sources, of.keyId) : null);

const input: fc.Arbitrary<DecideInput> = fc
  .record({
    standing: fc.option(ledger, { nil: undefined }),
    known: fc.option(ledger, { nil: undefined }),
    stored: fc.boolean(),
    sources: wanted,
    template: fc.constantFrom('template', 'other'),
    templateWrittenAt: second,
    createdAt: second,
    pods: fc.option(fc.array(second, { maxLength: 2 }), { nil: undefined }),
    recreate: fc.constantFrom('reload', 'ignore'),
  })
  .map(({ standing, known, stored, sources, template, templateWrittenAt, createdAt, pods, recreate }) =>
    inputWith({
      workload: carrying(standing, {
        templateDigest: template,
        templateWrittenAt,
        createdAt,
        mark: markOf(standing ?? known),
      }),
      memory: remembered(known, stored),
      want: wantFor(sources),
      pods: pods && { readSince: pods },
      settings: { recreate: recreate as 'reload' | 'ignore' },
    }),
  );

/** A final decision: where it asks for pods, all of them were created at this second. */
function decided(given: DecideInput, pods: PodEvidence = { readSince: [3000] }): Verdict {
  const first = decide(given);
  return asVerdict(first.action === 'ask-pods' ? decide({ ...given, pods }) : first);
}

/** The workload after our PATCH. */
function rolledOut(before: WorkloadFacts, written: Ledger): WorkloadFacts {
  const { annotations, templateAnnotations } = carrying(written);
  const metadata = { ...before.metadata, resourceVersion: '2' };
  return { ...before, metadata, annotations, templateAnnotations };
}

const check = (property: (given: DecideInput) => void): void =>
  fc.assert(fc.property(input, property), { numRuns: Number(process.env.PROPERTY_RUNS ?? 300) });

describe('a decision', () => {
  it('is pure: the same input gives the same decision and stays as it was', () => {
    check((given) => {
      const before = structuredClone({ ...given, settings: undefined });
      const one = decide(given);
      expect(decide(given)).toEqual(one);
      expect({ ...given, settings: undefined }).toEqual(before);
    });
  });

  it('does not depend on the order of the sources', () => {
    check((given) => {
      const reversed = { ...given, want: wantFor(given.want.sources.toReversed()) };
      expect(decide(reversed)).toEqual(decide(given));
    });
  });

  it('does not ask for pods that were given', () => {
    check((given) => {
      expect(decide({ ...given, pods: { readSince: [3000] } }).action).not.toBe('ask-pods');
    });
  });

  it.each(['kept', 'lost'])('that was carried out is followed by nothing, with memory %s', (kept) => {
    check((given) => {
      const verdict = decided(given);
      const memory = remember(given.memory, given.workload, verdict, NOW);
      const written = verdict.action === 'record' ? verdict.record : verdict.reload?.ledger;
      if (!written) {
        expect(verdict.action).toBe('nothing');
        return;
      }
      const reloads = verdict.action === 'reload';
      const workload = reloads ? rolledOut(given.workload, written) : given.workload;
      const base = reloads ? baseOf(formatLedger(written)) : verdict.base;
      const next: Decision = decided({
        ...given,
        workload,
        pods: undefined,
        now: NOW + 1000,
        ...(kept === 'kept'
          ? { memory: (reloads ? afterPatch : afterNote)(memory, written, base) }
          : { memory: emptyMemory('uid-web'), note: { record: written, base } }),
      });
      expect(next).toMatchObject({ action: 'nothing', record: undefined });
    });
  });

  it.each(['kept', 'lost'])('to reload stays, with memory %s, when it was deferred and noted', (kept) => {
    check((given) => {
      const verdict = decided(given);
      if (verdict.action !== 'reload' || verdict.reverted) return;
      const memory = remember(given.memory, given.workload, verdict, NOW);
      const { record, base } = verdict;
      const next = decided(
        {
          ...given,
          pods: undefined,
          now: NOW + 1000,
          ...(kept === 'kept' || !record
            ? { memory: record ? afterNote(memory, record, base) : memory }
            : { memory: emptyMemory('uid-web'), note: { record, base } }),
        },
        given.pods,
      );
      expect(next).toMatchObject({ action: 'reload', fingerprint: verdict.fingerprint, record: undefined });
      expect(next.reload?.ledger.sources).toEqual(verdict.reload?.ledger.sources);
    });
  });

  it('never touches the entry of an unknown source, unless its key is unknown as well', () => {
    check((given) => {
      const verdict = decided(given);
      const { recorded } = verdict;
      if (!recorded || recorded.keyId !== given.install.keyId) return;
      for (const { key, state } of given.want.sources) {
        if (state.kind !== 'unknown') continue;
        for (const written of [verdict.record, verdict.reload?.ledger]) {
          if (written) expect(written.sources.get(key)).toEqual(recorded.sources.get(key));
        }
      }
    });
  });
});

describe('I1: no reload without a difference', () => {
  it('a source whose record equals its content is never reloaded', () => {
    const contents = fc.dictionary(fc.constantFrom(...NAMES), content);
    fc.assert(
      fc.property(
        contents,
        fc.nat({ max: 3 }),
        second,
        second,
        options,
        (now, seq, writtenAt, templateAt, flags) => {
          const entries = Object.fromEntries(Object.entries(now).map(([name, text]) => [`cm/${name}`, text]));
          const recorded = ledgerWith({
            seq,
            writtenAt,
            sources: entries,
            ...(seq > 0 && { reloadedAt: writtenAt }),
          });
          const workload = carrying(recorded, { templateDigest: 'other', templateWrittenAt: templateAt });
          const sources = Object.entries(now).map(([name, text]) =>
            present(name, text, { ...flags, facts: { createdAt: 4900, writtenAt: 4900 } }),
          );
          expect(decide(inputWith({ workload, want: wantFor(sources) })).action).toBe('nothing');
        },
      ),
    );
  });

  it('every reload names a source that differs from the ledger it started from', () => {
    check((given) => {
      const verdict = decided(given);
      if (verdict.action !== 'reload' || verdict.reverted) return;
      expect(verdict.reload?.causes.length).toBeGreaterThan(0);
      for (const { key, reload, incomparable, next } of verdict.differences) {
        // Under another key, equal digests prove nothing.
        if (reload && !incomparable) expect(next).not.toEqual(verdict.recorded?.sources.get(key));
      }
    });
  });
});

describe('I2: every change has a consequence', () => {
  it('a change is reloaded, or recorded with a reason', () => {
    check((given) => {
      const verdict = decided(given);
      const changed = verdict.differences.some(({ finding, reload }) => finding === 'changed' && reload);
      if (!changed || verdict.action === 'reload') return;
      expect(verdict.action).toBe('record');
      expect(['template-changed', 'pods-are-new', 'undone']).toContain(verdict.because);
    });
  });

  it('a reload rolls out everything as it is now', () => {
    check((given) => {
      const verdict = decided(given);
      const written = verdict.reload?.ledger ?? (verdict.action === 'record' ? verdict.record : undefined);
      if (!written) return;
      for (const { key, state, keys } of given.want.sources) {
        if (state.kind === 'present' && !keys) {
          expect(written.sources.get(key)).toEqual({ digest: state.facts.digest });
        }
      }
    });
  });
});

it('numbers and times never go back', () => {
  check((given) => {
    const verdict = decided(given);
    for (const written of [verdict.record, verdict.reload?.ledger]) {
      if (!written) continue;
      expect(written.seq).toBeGreaterThanOrEqual(verdict.recorded?.seq ?? 0);
      expect(written.writtenAt).toBeGreaterThanOrEqual(verdict.recorded?.writtenAt ?? 0);
      expect(formatLedger(written).length).toBeLessThan(8192);
    }
  });
});
