/**
 * The record of the contents that a workload was last rolled out with, as text. The ledger is one annotation on the
 * workload's own metadata, written only by the PATCH that also changes the pod template; the notebook holds the same
 * text.
 *
 * In and out: text. `parseLedger` never throws: an unreadable ledger counts as absent and the workload is adopted
 * again, because a damaged annotation is no reason for a restart.
 */
import type { Ledger, LedgerEntry, RecentReload, RefusedContent, Replaced } from '../model/ledger.ts';
import type { SourceKind, SourceRef } from '../model/source.ts';

export const LEDGER_VERSION = 1;
/** Keeps a distance to the API server's limit for annotations; beyond it, a condition says so. */
export const LARGEST_LEDGER_BYTES = 8192;
export const MOST_RECENT = 5;
export const MOST_REFUSED = 8;

export type ParsedLedger =
  | { readonly kind: 'ledger'; readonly ledger: Ledger }
  | { readonly kind: 'absent' }
  /** Written by a newer version of the operator: left alone. */
  | { readonly kind: 'newer'; readonly version: number }
  | { readonly kind: 'unreadable'; readonly why: string };

const SHORT: Readonly<Record<SourceKind, string>> = {
  ConfigMap: 'cm',
  Secret: 'secret',
  SecretProviderClass: 'spc',
};

/** `cm/NAME`, or `cm/NAMESPACE/NAME` for a source of another namespace. */
export function ledgerKey(source: SourceRef, workloadNamespace: string): string {
  const { kind, namespace, name } = source;
  return namespace === workloadNamespace ? `${SHORT[kind]}/${name}` : `${SHORT[kind]}/${namespace}/${name}`;
}

export function sourceOfLedgerKey(key: string, workloadNamespace: string): SourceRef | undefined {
  const parts = key.split('/');
  const kind = (Object.keys(SHORT) as SourceKind[]).find((candidate) => SHORT[candidate] === parts[0]);
  const name = parts.at(-1);
  if (!kind || !name || parts.length < 2 || parts.length > 3) return undefined;
  return { kind, namespace: parts.length === 3 ? (parts[1] ?? '') : workloadNamespace, name };
}

interface RecentJson {
  n: number;
  at: number;
  c?: readonly string[];
  ci?: readonly string[];
  s?: readonly string[];
  u?: number;
}

export interface LedgerJson {
  v: number;
  uid: string;
  seq: number;
  t: number;
  w?: number;
  at?: number;
  ps?: number;
  k?: string;
  d?: number;
  td?: string;
  e?: 1;
  i?: string;
  g?: number;
  p?: { s: Record<string, string>; f: string; t: number };
  x?: [key: string, content: string][];
  recent?: RecentJson[];
  s: Record<string, string>;
}

export function formatLedger(ledger: Ledger): string {
  return JSON.stringify(ledgerJson(ledger));
}

/**
 * Field by field and not by spreading: this runs several times for every reload. The order of the fields is part of the
 * text.
 */
export function ledgerJson(ledger: Ledger): LedgerJson {
  const { uid, seq, writtenAt: t, replaced, refused, recent } = ledger;
  const json: Partial<LedgerJson> = { v: LEDGER_VERSION, uid, seq, t };
  if (ledger.sourcesWrittenAt !== undefined) json.w = ledger.sourcesWrittenAt;
  if (ledger.reloadedAt !== undefined) json.at = ledger.reloadedAt;
  if (ledger.pendingSince !== undefined) json.ps = ledger.pendingSince;
  if (ledger.keyId !== undefined) json.k = ledger.keyId;
  if (ledger.digestVersion !== undefined && ledger.digestVersion !== 1) json.d = ledger.digestVersion;
  if (ledger.template !== undefined) json.td = ledger.template;
  if (ledger.unmarked) json.e = 1;
  if (ledger.installation !== undefined) json.i = ledger.installation;
  if (ledger.rateClock !== undefined) json.g = ledger.rateClock;
  if (replaced) json.p = { s: formatSources(replaced.sources), f: replaced.fields, t: replaced.until };
  if (refused && refused.length > 0) {
    json.x = refused.slice(-MOST_REFUSED).map(({ key, content }) => [key, content]);
  }
  if (recent.length > 0) json.recent = recent.slice(-MOST_RECENT).map(recentJson);
  json.s = formatSources(ledger.sources);
  return json as LedgerJson;
}

function recentJson({ seq, at, configs, configIds, sources, undoes }: RecentReload): RecentJson {
  const json: RecentJson = { n: seq, at };
  if (configs.length > 0) json.c = configs;
  if (configs.length > 0 && configIds) json.ci = configIds;
  if (sources.length > 0) json.s = sources;
  if (undoes !== undefined) json.u = undoes;
  return json;
}

function formatSources(sources: Ledger['sources']): Record<string, string> {
  const entries = [...sources].map(([key, entry]): [string, string] => [key, formatEntry(entry)]);
  if (entries.length > 1) entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}

export function parseLedger(text: string | undefined): ParsedLedger {
  if (text === undefined) return { kind: 'absent' };
  // We never write a text of this length: parsing it in every pass would let a user keep the operator busy.
  if (text.length > 2 * LARGEST_LEDGER_BYTES) return { kind: 'unreadable', why: 'it is too long' };
  try {
    return ledgerOf(JSON.parse(text));
  } catch {
    return { kind: 'unreadable', why: 'it is not JSON' };
  }
}

/** From JSON that was parsed as a part of another text. */
export function ledgerOf(value: unknown): ParsedLedger {
  if (typeof value !== 'object' || value === null || typeof (value as LedgerJson).v !== 'number') {
    return { kind: 'unreadable', why: 'it has no version' };
  }
  const json = value as Partial<LedgerJson> & Pick<LedgerJson, 'v'>;
  if (json.v > LEDGER_VERSION) return { kind: 'newer', version: json.v };
  if (
    typeof json.uid !== 'string' ||
    !isSeq(json.seq) ||
    !isCount(json.t) ||
    typeof json.s !== 'object' ||
    !json.s
  ) {
    return { kind: 'unreadable', why: 'uid, seq, t or s is missing or out of range' };
  }
  const replaced = parseReplaced(json.p);
  const refused = parseRefused(json.x);
  return {
    kind: 'ledger',
    ledger: {
      uid: json.uid,
      seq: json.seq,
      writtenAt: json.t,
      ...(isCount(json.w) && { sourcesWrittenAt: json.w }),
      ...(isCount(json.at) && { reloadedAt: json.at }),
      ...(isCount(json.ps) && { pendingSince: json.ps }),
      ...(typeof json.k === 'string' && { keyId: json.k }),
      ...(isCount(json.d) && json.d !== 1 && { digestVersion: json.d }),
      ...(typeof json.td === 'string' && { template: json.td }),
      ...(json.e === 1 && { unmarked: true as const }),
      ...(isInstallation(json.i) && { installation: json.i }),
      ...(isCount(json.g) && { rateClock: json.g }),
      ...(replaced && { replaced }),
      ...(refused.length > 0 && { refused }),
      recent: parseRecent(json.recent),
      sources: parseSources(json.s),
    },
  };
}

function parseSources(json: Readonly<Record<string, unknown>>): Map<string, LedgerEntry> {
  const sources = new Map<string, LedgerEntry>();
  for (const [key, value] of Object.entries(json)) {
    const entry = parseEntry(value);
    if (entry) sources.set(key, entry);
  }
  return sources;
}

/** Complete or not at all: an undo with partial information would restore the wrong state. */
function parseReplaced(json: unknown): Replaced | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const { s, f: fields, t: until } = json as Readonly<Record<string, unknown>>;
  if (typeof s !== 'object' || s === null || typeof fields !== 'string' || !isCount(until)) return undefined;
  const sources = parseSources(s as Readonly<Record<string, unknown>>);
  const isWhole = sources.size > 0 && sources.size === Object.keys(s).length;
  return isWhole ? { sources, fields, until } : undefined;
}

/** Pairs of a source and its ledger entry; notes use the same form. */
export function parseRefused(json: unknown): RefusedContent[] {
  if (!Array.isArray(json)) return [];
  return json.slice(-MOST_REFUSED).flatMap((each): RefusedContent[] => {
    const [key, content] = Array.isArray(each) ? (each as unknown[]) : [];
    return typeof key === 'string' && typeof content === 'string' && ENTRY.test(content)
      ? [{ key, content }]
      : [];
  });
}

/** Two names of at most 63 and 253 characters; a longer value is invalid. */
const isInstallation = (value: unknown): value is string => typeof value === 'string' && value.length <= 320;

/** More reloads than any workload can have: a larger number is forged, and would run out of safe integers. */
const LARGEST_SEQ = 2 ** 31;
const isSeq = (value: unknown): value is number => isCount(value) && value <= LARGEST_SEQ;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function parseRecent(recent: unknown): RecentReload[] {
  if (!Array.isArray(recent)) return [];
  const strings = (list: unknown): string[] =>
    Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];
  return recent
    .filter((entry) => isCount(entry?.n) && isCount(entry?.at))
    .slice(-MOST_RECENT)
    .map(({ n, at, c, ci, s, u }) => {
      const configs = strings(c);
      const configIds = strings(ci);
      return {
        seq: n,
        at,
        configs,
        // Only if each config has one: otherwise it is unknown which belongs to which.
        ...(configIds.length > 0 && configIds.length === configs.length && { configIds }),
        sources: strings(s),
        ...(isSeq(u) && { undoes: u }),
      };
    });
}

const ENTRY = /^([A-Za-z0-9_-]{1,64})(?:#([A-Za-z0-9_-]{1,32}))?(!)?$/;

function parseEntry(text: unknown): LedgerEntry | undefined {
  const match = typeof text === 'string' ? ENTRY.exec(text) : null;
  if (!match) return undefined;
  const [, digest = '', scope, gone] = match;
  return { digest, ...(scope && { scope }), ...(gone && { gone: true as const }) };
}

export function formatEntry({ digest, scope, gone }: LedgerEntry): string {
  return `${digest}${scope ? `#${scope}` : ''}${gone ? '!' : ''}`;
}

export function sameEntry(one: LedgerEntry | undefined, other: LedgerEntry | undefined): boolean {
  if (!one || !other) return one === other;
  return one.digest === other.digest && one.scope === other.scope && one.gone === other.gone;
}

export function sameSources(one: Ledger['sources'], other: Ledger['sources']): boolean {
  return one.size === other.size && [...one].every(([key, entry]) => sameEntry(entry, other.get(key)));
}

/** True for an earlier state of the same ledger: numbers of reloads increase, and write times never go back. */
export function isOlder(one: Ledger, other: Ledger): boolean {
  return one.seq < other.seq || (one.seq === other.seq && one.writtenAt < other.writtenAt);
}

/** How often the last reload was repeated after a revert: repetitions name no changed source. */
export function retriesOf({ recent }: Pick<Ledger, 'recent'>): number {
  const last = recent.findLastIndex(({ sources }) => sources.length > 0);
  return recent.length - 1 - last;
}
