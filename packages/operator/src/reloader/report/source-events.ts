/** Turns what the caches of sources see into reports. Objects of the first list are no news. */
import type { Informer } from '@reloader/runtime';
import type { SourceRef } from '../model/source.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import type { PipelineReporter } from './reporter.ts';

export interface SourceEventsOptions {
  readonly reporter: Pick<PipelineReporter, 'sourceChanged'>;
  readonly informers: Iterable<Informer<SourceFacts>>;
  readonly inScope: (namespace: string) => boolean;
  /** How many workloads are asked to look at it. */
  readonly concerned: (ref: SourceRef, facts: readonly SourceFacts[]) => number;
}

/** Returns the way to stop. */
export function reportSources({ reporter, informers, inScope, concerned }: SourceEventsOptions): () => void {
  const registrations = [...informers].map((informer) =>
    informer.addHandler((event) => {
      if (event.type === 'add' && event.initial) return;
      const { kind, metadata, digest } = event.object;
      if (!inScope(metadata.namespace)) return;
      const ref: SourceRef = { kind, namespace: metadata.namespace, name: metadata.name };
      const before =
        event.type === 'update' ? event.old.digest : event.type === 'delete' ? digest : undefined;
      const after = event.type === 'delete' ? undefined : digest;
      const looks = event.type === 'update' ? [event.old, event.object] : [event.object];
      const workloads = before === after ? 0 : concerned(ref, looks);
      reporter.sourceChanged(kind, ref, before, after, workloads);
    }),
  );
  return () => {
    for (const registration of registrations) registration.remove();
  };
}
