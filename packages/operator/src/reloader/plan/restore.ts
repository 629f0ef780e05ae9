/**
 * Whether ConfigMaps are to be restored after a reload that failed, and which contents are worth a copy. Pure.
 *
 * In: a workload with its record and outcomes. Out: the sources to restore, or why not and what a user has to do
 * instead. The owner of the ConfigMap and the copy are only known to the server: the caller checks them.
 */
import { entryOf } from '../ledger/entry.ts';
import { formatEntry, ledgerKey, sameEntry, sourceOfLedgerKey } from '../ledger/ledger.ts';
import { outcomesOf, type ParsedNote, restoringIn } from '../ledger/note.ts';
import { outcomeOf } from '../ledger/outcomes.ts';
import type { Ledger } from '../model/ledger.ts';
import { policyFor } from '../model/policy.ts';
import type { RestoreSource } from '../model/restore.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { SourceRef } from '../model/source.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import { isFailure, isVerified } from '../model/verify.ts';
import type { Policy, Want, WantedSource } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { isRefused } from './refused.ts';

export interface RestoreInput {
  readonly workload: WorkloadFacts;
  readonly want: Want;
  readonly recorded: Ledger | undefined;
  readonly note: ParsedNote;
  readonly settings: Pick<ReloaderSettings, 'mode' | 'restoreConfigMaps'>;
  /** The name of another workload that works with the current content of the source. */
  readonly worksOn: (source: SourceRef, facts: SourceFacts, content: string) => string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export type RestorePlan =
  | { readonly kind: 'nothing' }
  /** The message says what a user has to do. */
  | { readonly kind: 'refused' | 'fought'; readonly message: string; readonly sources: readonly SourceRef[] }
  | { readonly kind: 'restore'; readonly seq: number; readonly sources: readonly RestoreSource[] };

const NOTHING: RestorePlan = { kind: 'nothing' };

interface Bad {
  readonly source: WantedSource;
  readonly facts: SourceFacts;
  readonly content: string;
}

export function restorePlan(input: RestoreInput): RestorePlan {
  const { workload, want, recorded, note, settings } = input;
  if (!recorded || settings.mode === 'observe' || !isVerified(workload.kind)) return NOTHING;
  const { uid } = workload.metadata;
  const outcome = outcomeOf(outcomesOf(note, uid), recorded.seq);
  if (!outcome || !isFailure(outcome) || outcome.template !== workload.templateDigest) return NOTHING;
  const keys = Object.keys(outcome.sources);
  const policy = policyFor(want, keys);
  if (!asks(policy) || keys.length === 0) return NOTHING;
  // The failed content was already rolled out by an undo: there is nothing to restore.
  if (recorded.recent.some(({ seq, undoes }) => seq === recorded.seq && undoes !== undefined)) return NOTHING;
  const bad = badContents(want, recorded, outcome.sources);
  if (bad.length === 0) return NOTHING;
  const sources = bad.map(({ source }) => source.ref);
  const fought = bad.find(({ source, facts, content }) => {
    const begun = restoringIn(note, uid, recorded.seq)?.sources.find(
      (each) => each.key === source.key && each.content === content,
    );
    if (begun) return begun.version !== facts.metadata.resourceVersion;
    return isRefused(recorded, source.key, content);
  });
  if (fought) return { kind: 'fought', sources, message: foughtText(fought) };
  const why = whyNot(input, recorded, keys, bad, policy);
  if (why !== undefined) return { kind: 'refused', sources, message: why };
  return {
    kind: 'restore',
    seq: recorded.seq,
    sources: bad.flatMap(({ source, content }): RestoreSource[] => {
      const good = recorded.replaced?.sources.get(source.key);
      return good ? [{ ref: source.ref, key: source.key, keys: source.keys, bad: content, good }] : [];
    }),
  };
}

function asks({ verify, onFailure }: Policy): boolean {
  return verify !== undefined && onFailure === 'restore';
}

/**
 * The sources that still have the failed content; none if one of them has neither that nor the earlier one: users are
 * editing.
 */
function badContents(
  want: Want,
  { replaced }: Ledger,
  failed: Readonly<Record<string, string>>,
): readonly Bad[] {
  const bad: Bad[] = [];
  for (const [key, content] of Object.entries(failed)) {
    const source = want.sources.find((each) => each.key === key);
    if (source?.state.kind !== 'present') return [];
    const { facts } = source.state;
    const entry = entryOf(facts, source.keys);
    if (formatEntry(entry) === content) bad.push({ source, facts, content });
    else if (!sameEntry(entry, replaced?.sources.get(key))) return [];
  }
  return bad;
}

function whyNot(
  { workload, settings, worksOn, now }: RestoreInput,
  recorded: Ledger,
  keys: readonly string[],
  bad: readonly Bad[],
  policy: Policy,
): string | undefined {
  const { namespace } = workload.metadata;
  const others = keys.map((key) => sourceOfLedgerKey(key, namespace)).filter((each) => each !== undefined);
  const foreign = others.find(({ kind }) => kind !== 'ConfigMap');
  if (foreign) {
    return `${nameOf(foreign)} changed with it, and only ConfigMaps are ever put back: put it right or back where it is kept`;
  }
  const [first] = bad;
  const elsewhere = others.find((each) => each.namespace !== namespace);
  if (elsewhere) {
    return `${nameOf(elsewhere)} is of another namespace than the workload: put it right or back where it is kept`;
  }
  if (!settings.restoreConfigMaps) {
    return 'this operator puts nothing back: start it with --restore-config-maps (chart value reloader.restoreConfigMaps), or put the ConfigMap right or back where it is kept';
  }
  const unknown = bad.find(({ source: { key } }) => {
    const before = recorded.replaced?.sources.get(key);
    return !before || isRefused(recorded, key, formatEntry(before));
  });
  if (unknown) {
    return `which content of ${nameOf(unknown.source.ref)} worked before is not known: put it right or back where it is kept`;
  }
  for (const { source, facts, content } of bad) {
    const other = worksOn(source.ref, facts, content);
    if (other !== undefined) {
      return `${other} works with this content of ${nameOf(source.ref)}, so it is not taken from it: look at what is wrong with this workload`;
    }
  }
  const isFrozen = policy.freezes.some(({ until }) => until === undefined || until > now);
  if (isFrozen && first) {
    return `${nameOf(first.source.ref)} is left as it is while the workload is frozen: put it right or back where it is kept, or end the freeze`;
  }
  return undefined;
}

function foughtText({ source: { ref }, facts: { writtenBy } }: Bad): string {
  const by = writtenBy === '' ? 'somebody' : writtenBy;
  return `${nameOf(ref)} was put back after this content had failed, and ${by} wrote it again: nothing is put back twice. Put it right where it is kept; newer content is rolled out at once`;
}

export function nameOf({ kind, namespace, name }: SourceRef): string {
  return `${kind} ${namespace}/${name}`;
}

/** ConfigMaps whose current content works as far as we know, and that are restored to it should the next one fail. */
export function contentsToKeep(
  { workload, want, recorded, note, settings }: Omit<RestoreInput, 'worksOn' | 'now'>,
  /** Its rollout has ended, and no outcome is awaited. */
  isSettled: boolean,
): readonly SourceFacts[] {
  if (!recorded || settings.mode === 'observe' || !settings.restoreConfigMaps) return [];
  if (!isVerified(workload.kind)) return [];
  const outcome = outcomeOf(outcomesOf(note, workload.metadata.uid), recorded.seq);
  const works = outcome?.result === 'ok' || ((!outcome || outcome.result === 'superseded') && isSettled);
  if (!works) return [];
  const { namespace } = workload.metadata;
  return want.sources.flatMap(({ ref, key, keys, state }) => {
    if (ref.kind !== 'ConfigMap' || ref.namespace !== namespace || state.kind !== 'present') return [];
    if (!asks(policyFor(want, [key]))) return [];
    const entry = entryOf(state.facts, keys);
    const isRunning = sameEntry(entry, recorded.sources.get(ledgerKey(ref, namespace)));
    return isRunning && !isRefused(recorded, key, formatEntry(entry)) ? [state.facts] : [];
  });
}
