/** Filters events: every add and delete passes, and updates that change a field that decisions read. */
import { type Cached, deepEqual, type InformerEvent } from '@reloader/runtime';
import type { PodStatusFacts, ProviderClassFacts } from '../digest/provider-class.ts';
import { sameTexts } from '../digest/texts.ts';
import type { ConfigFacts } from '../model/config.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { NamespaceFacts } from '../model/world.ts';

type When<C extends Cached> = (event: InformerEvent<C>) => boolean;

function unless<C extends Cached>(same: (old: C, object: C) => boolean): When<C> {
  return (event) => event.type !== 'update' || !same(event.old, event.object);
}

export const isSourceChange: When<SourceFacts> = unless(
  (old, now) =>
    old.digest === now.digest &&
    sameTexts(old.labels, now.labels) &&
    sameTexts(old.annotations, now.annotations),
);

/** Any field except metadata and the time of a write that changed nothing. */
export const isWorkloadChange: When<WorkloadFacts> = unless((old, now) => {
  const { metadata: _, templateWrittenAt: __, ...before } = old;
  const { metadata: ___, templateWrittenAt: ____, ...after } = now;
  return deepEqual(before, after);
});

/** Ignores status updates, which we write ourselves. */
export const isConfigChange: When<ConfigFacts> = unless(
  (old, now) => old.generation === now.generation && old.ignored === now.ignored,
);

/** Ignores the initial list: those Namespaces are known before anything is decided. */
export const isNamespaceChange: When<NamespaceFacts> = (event) => {
  if (event.type === 'add') return !event.initial;
  if (event.type === 'delete') return false;
  const { old, object } = event;
  return (
    old.deleting !== object.deleting ||
    !sameTexts(old.labels, object.labels) ||
    !sameTexts(old.annotations, object.annotations)
  );
};

/** Ignores deletions: the end of a pod does not change the mounted content. */
export const isPodStatusChange: When<PodStatusFacts> = (event) =>
  event.type === 'add' || (event.type === 'update' && event.old.digest !== event.object.digest);

export const isProviderClassChange: When<ProviderClassFacts> = unless(
  (old, now) => sameTexts(old.labels, now.labels) && sameTexts(old.annotations, now.annotations),
);
