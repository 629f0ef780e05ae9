/**
 * The mark that every reload leaves on the pod template: the ledger's number and the digests that it rolled out. It is
 * the fallback when the ledger is lost, and its absence shows that another client restored an older template.
 */
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Ledger, LedgerEntry } from '../model/ledger.ts';
import type { WorkloadFacts } from '../model/workload.ts';

export interface RolledMark {
  readonly seq: number;
  readonly sources: ReadonlyMap<string, string>;
  /** The key that the digests of Secrets were made with. */
  readonly keyId?: string;
  /** The first characters of the workload's uid: a copied template has the mark of another workload. */
  readonly uid?: string;
}

const UID_LENGTH = 8;

export function formatMark({
  uid,
  seq,
  sources,
  keyId,
}: Pick<Ledger, 'uid' | 'seq' | 'sources'> & { readonly keyId?: string | undefined }): string {
  const digests = [...sources]
    .filter(([, { gone }]) => !gone)
    .map(([key, { digest, scope }]) => [key, scope ? `${digest}#${scope}` : digest] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({
    n: seq,
    u: uid.slice(0, UID_LENGTH),
    ...(keyId !== undefined && { k: keyId }),
    s: Object.fromEntries(digests),
  });
}

/** Undefined if it is missing or cannot be read. */
export function parseMark(text: string | undefined): RolledMark | undefined {
  if (text === undefined) return undefined;
  try {
    const { n, s, k, u } = JSON.parse(text) as Record<'n' | 's' | 'k' | 'u', unknown>;
    if (!Number.isSafeInteger(n) || typeof s !== 'object' || s === null) return undefined;
    const entries = Object.entries(s).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return {
      seq: Number(n),
      sources: new Map(entries),
      ...(typeof k === 'string' && { keyId: k }),
      ...(typeof u === 'string' && { uid: u }),
    };
  } catch {
    return undefined;
  }
}

/** Marks of the first version contain no uid. */
export function isMarkOf(mark: RolledMark, uid: string): boolean {
  return mark.uid === undefined || mark.uid === uid.slice(0, UID_LENGTH);
}

/** The ledger at the time of the mark, as far as the mark has it: without times and without the configs that asked. */
export function ledgerFromMark(
  mark: RolledMark,
  uid: string,
  writtenAt: number,
  installedKeyId: string | undefined,
): Ledger {
  // A mark without a key is compared as if it were made with ours: if that is wrong, the ages of the pods decide.
  const keyId = mark.keyId ?? installedKeyId;
  const sources = new Map<string, LedgerEntry>();
  for (const [key, text] of mark.sources) {
    const [digest = '', scope] = text.split('#');
    sources.set(key, scope ? { digest, scope } : { digest });
  }
  return {
    uid,
    seq: mark.seq,
    writtenAt,
    recent: [],
    sources,
    ...(keyId !== undefined && { keyId }),
  };
}

/** Evictions, Jobs and templates that belong to another object carry no mark, so a missing one proves nothing. */
export function leavesMark(
  { kind, workloadRef }: Pick<WorkloadFacts, 'kind' | 'workloadRef'>,
  { rolloutStrategy }: { readonly rolloutStrategy: 'rollout' | 'restart' },
): boolean {
  return rolloutStrategy === 'rollout' && kind !== 'CronJob' && kind !== 'Job' && workloadRef === undefined;
}

/** The ledger says that a reload left its mark, but the template has none or an older one. */
export function isMarkMissing(
  workload: WorkloadFacts,
  policy: { readonly rolloutStrategy: 'rollout' | 'restart' },
  { seq, unmarked }: Ledger,
): boolean {
  if (seq === 0 || unmarked || !leavesMark(workload, policy)) return false;
  const mark = parseMark(workload.templateAnnotations[FIXED_ANNOTATIONS.rolled]);
  return mark === undefined || mark.seq < seq;
}
