/** Turns the informer events of sources into reports. Objects of the first list are not reported. */
import type { Informer } from '@reloader/runtime';
import type { SourceRef } from '../model/source.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import type { PipelineReporter } from './reporter.ts';

export interface SourceEventsOptions {
  readonly reporter: Pick<PipelineReporter, 'sourceChanged'>;
  readonly informers: Iterable<Informer<SourceFacts>>;
  readonly inScope: (namespace: string) => boolean;
  /** How many workloads are opted in to it. */
  readonly targets: (ref: SourceRef, facts: readonly SourceFacts[]) => number;
  /** ConfigMaps made by a PodConfigMapConfig cause reloads, too, so their changes are logged. */
  readonly tellsGenerated: boolean;
}

/** Returns a function that stops it. */
export function reportSources(options: SourceEventsOptions): () => void {
  const { reporter, informers, inScope, targets, tellsGenerated } = options;
  const registrations = [...informers].map((informer) =>
    informer.addHandler((event) => {
      if (event.type === 'add' && event.initial) return;
      const { kind, metadata, digest, generated } = event.object;
      if (!inScope(metadata.namespace)) return;
      const ref: SourceRef = { kind, namespace: metadata.namespace, name: metadata.name };
      const before =
        event.type === 'update' ? event.old.digest : event.type === 'delete' ? digest : undefined;
      const after = event.type === 'delete' ? undefined : digest;
      const looks = event.type === 'update' ? [event.old, event.object] : [event.object];
      const isNew = !generated || tellsGenerated;
      const workloads = before === after || !isNew ? 0 : targets(ref, looks);
      reporter.sourceChanged(kind, ref, before, after, workloads, !isNew);
    }),
  );
  return () => {
    for (const registration of registrations) registration.remove();
  };
}
