/** When a workload opted in to a source, compared with the writes to that source. Pure. */

import { compareVersions } from '@reloader/runtime';
import { bornVersionOf } from '../ledger/remember.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import type { MarkedSource, Want, WantedSource } from '../model/want.ts';
import type { DecideInput } from './input.ts';

/** Within one second, resourceVersions decide where they can be compared; otherwise the write counts as later. */
export function mayBeAfterOptIn(
  source: WantedSource,
  { writtenAt, metadata, digest }: SourceFacts,
  input: DecideInput,
  since: number,
): boolean {
  const { workload, want, memory, optInSeen } = input;
  const marked = optInSeen.sources.get(metadata.uid);
  // Its own label or annotation opted it in, and its content has not changed since.
  if (marked?.digest === digest && !wasAskedFor(source, marked.before, input)) return false;
  const compared = (version: string): number | undefined =>
    compareVersions(version, metadata.resourceVersion);
  const letIns = [workload.metadata, metadata].map(({ namespace }) => optInSeen.namespaces.get(namespace));
  if (isSelectedByNamespace(source, want)) letIns.push(optInSeen.labelled.get(metadata.namespace));
  for (const letIn of letIns) {
    // Our clock may be ahead of the server's: times decide only where resourceVersions cannot.
    if (letIn && (compared(letIn.version) ?? letIn.at - writtenAt) >= 0) return false;
  }
  // We saw the annotation being added, so compare resourceVersions: the time in managedFields may be missing.
  const { annotation } = optInSeen;
  const annotated = source.annotated && annotation !== undefined ? compared(annotation) : undefined;
  if (annotated !== undefined) return annotated < 0;
  if (writtenAt !== since) return writtenAt > since;
  if (!source.annotated && optInSeen.config) return false;
  const born = memory.bornVersion ?? bornVersionOf(memory, workload);
  return born === undefined || workload.createdAt !== since || (compared(born) ?? -1) < 0;
}

/** Whether a source with these labels and annotations would be asked for as well, by one of the same rules. */
function wasAskedFor(
  source: WantedSource,
  { labels, annotations }: MarkedSource['before'],
  { want, settings: { names } }: DecideInput,
): boolean {
  if (annotations[names.ignore] === 'true') return false;
  if (source.annotated && (source.rule !== 'search' || annotations[names.match] === 'true')) return true;
  return configsAsking(source, want).some(
    ({ resourceSelector, matchLabels }) =>
      (resourceSelector?.matches(labels) ?? true) &&
      Object.entries(matchLabels).every(([key, value]) => labels[key] === value),
  );
}

/** An opt-in by flag or Namespace counts from the workload's creation, unless we saw it begin. */
export function seenSince(source: WantedSource, input: DecideInput): number {
  return isStanding(source) ? input.workload.createdAt : askedSince(source, input);
}

function configsAsking(source: WantedSource, { configs }: Want): Want['configs'] {
  return configs.filter(({ metadata }) => source.configs.includes(`${metadata.namespace}/${metadata.name}`));
}

/** Only ReloaderConfigs ask for it, each because its `namespaceSelector` selects the source's Namespace. */
function isSelectedByNamespace(source: WantedSource, want: Want): boolean {
  return (
    !source.annotated &&
    configsAsking(source, want).every(({ namespaceSelector }) => namespaceSelector !== undefined)
  );
}

/** Seconds since the epoch: the earlier of the opt-ins by annotation and by ReloaderConfig. */
export function askedSince(source: WantedSource, { workload, want }: DecideInput): number {
  const asked = configsAsking(source, want).map(({ specWrittenAt }) => specWrittenAt);
  // The time of an opt-in by flag or Namespace is unknown.
  if (source.annotated && !isStanding(source)) asked.push(workload.annotatedAt);
  return Math.max(workload.createdAt, asked.length > 0 ? Math.min(...asked) : Number.POSITIVE_INFINITY);
}

function isStanding({ from }: WantedSource): boolean {
  return from === 'setting' || from === 'namespace';
}

/** For a source that is not in the record of a workload which has one. */
export function isAfterOptIn(source: WantedSource, input: DecideInput): boolean {
  const { state } = source;
  return state.kind === 'present' && mayBeAfterOptIn(source, state.facts, input, seenSince(source, input));
}
