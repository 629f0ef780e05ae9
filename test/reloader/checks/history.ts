/** Compares histories: the content of a source when a ledger was written. Pure. */
import type { Chronicle, ChronicleObject, Ref } from '../chronicle.ts';
import type { LedgerView } from '../ledger-view.ts';
import { type RecordVersion, recordsOf } from '../records.ts';

export const RELOADED_KINDS = [
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'CronJob',
  'Job',
  'Rollout',
  'DeploymentConfig',
];

export const ABSENT = 'absent';

/** The content of a source; changes of its other fields do not count. */
export function contentOf({ data = {}, binaryData = {} }: ChronicleObject): string {
  const sorted = (map: Readonly<Record<string, string>>) =>
    Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([sorted(data), sorted(binaryData)]);
}

/** The content at a revision. */
export function contentAt(chronicle: Chronicle, source: Ref, revision: number): string {
  const last = chronicle
    .of(source)
    .filter((version) => version.revision <= revision)
    .at(-1);
  return last && last.type !== 'DELETED' ? contentOf(last.object) : ABSENT;
}

/**
 * Contents that a record may name although they were replaced just before the record was stored: the operator writes
 * what it sees, and a change in the same second can reach the server before the record.
 */
export function crossing(
  chronicle: Chronicle,
  source: Ref,
  recorded: number,
  second: number | undefined,
): string | undefined {
  const replaced = chronicle
    .of(source)
    .filter((version) => version.revision <= recorded)
    .at(-1);
  if (!replaced || second === undefined || secondOf(replaced.object) < second) return undefined;
  return contentAt(chronicle, source, replaced.revision - 1);
}

/** When an object was last written, in seconds since 1970. */
function secondOf({ metadata: { managedFields = [] } }: ChronicleObject): number {
  return Math.max(0, ...managedFields.map(({ time = '' }) => Math.floor(Date.parse(time) / 1000) || 0));
}

export interface Reload extends RecordVersion {
  /** The records before this reload. */
  readonly before: readonly RecordVersion[];
}

/** A reload is a number that this workload never had before. A re-created Job continues the numbers of the old one. */
export function reloadsOf(chronicle: Chronicle, ref: Ref): Reload[] {
  const highest = new Map<string, number>();
  const reloads: Reload[] = [];
  const records = recordsOf(chronicle, ref);
  const identity = ({ uid }: LedgerView): string => (ref.kind === 'Job' ? '' : uid);
  for (const [index, version] of records.entries()) {
    const { seq } = version.ledger;
    const uid = identity(version.ledger);
    if (seq > (highest.get(uid) ?? 0)) {
      highest.set(uid, seq);
      reloads.push({
        ...version,
        before: records.slice(0, index).filter(({ ledger }) => identity(ledger) === uid),
      });
    }
  }
  return reloads;
}

/** The revision since which the newest record has its current entry for a source. */
export function writtenAt(ledgers: readonly RecordVersion[], key: string): number | undefined {
  const last = ledgers.at(-1);
  if (!last || last.ledger.s[key] === undefined) return undefined;
  let revision = last.revision;
  for (const version of [...ledgers].reverse()) {
    if (version.ledger.s[key] !== last.ledger.s[key]) break;
    revision = version.revision;
  }
  return revision;
}
