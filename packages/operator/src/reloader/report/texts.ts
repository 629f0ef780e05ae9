/** Texts of Events and log lines. */
import { timestamp } from '@reloader/runtime';
import type { BlockedEviction, ReloadPlan } from '../model/plan.ts';
import { type SourceKind, type SourceRef, STAKATER_TYPE } from '../model/source.ts';
import type { WorkloadFacts, WorkloadRef } from '../model/workload.ts';

/** The components of Events have the names of Stakater's, after the resource that changed. */
export const EVENT_COMPONENTS: Readonly<Record<SourceKind, string>> = {
  ConfigMap: 'reloader-configmaps',
  Secret: 'reloader-secrets',
  SecretProviderClass: 'reloader-secretproviderclasspodstatuses',
};

export const refOf = ({ kind, metadata: { namespace, name } }: WorkloadFacts): WorkloadRef => ({
  kind,
  namespace,
  name,
});

/** Stakater's exact message for one cause; further causes are added in the same form. */
export function reloadedText({ causes, workload }: ReloadPlan): string {
  const { kind, metadata } = workload;
  const updated = `Updated '${metadata.name}' of type '${kind}' in namespace '${metadata.namespace}'`;
  if (causes.length === 0) return `A reload was undone by another tool and is made again, ${updated}`;
  const changes = causes.map(({ ref }) => sourceText(ref)).join(' and ');
  return `Changes detected in ${changes}, ${updated}`;
}

/** The message of an undo; `undoes` is the number of the reload that had failed. */
export function undoneText({ causes, workload }: ReloadPlan, undoes: number): string {
  const { kind, metadata } = workload;
  const sources = causes.map(({ ref }) => `${ref.kind} ${ref.namespace}/${ref.name}`).join(', ');
  return `Reload ${undoes} of ${kind} ${metadata.namespace}/${metadata.name} had failed and is undone: ${sources} is what it was before, so the earlier pod template is put back, and pods that still run it are not restarted`;
}

function sourceText({ kind, namespace, name }: SourceRef): string {
  return `'${name}' of type '${STAKATER_TYPE[kind]}' in namespace '${namespace}'`;
}

export function failedText({ workload: { kind, metadata } }: ReloadPlan, error: Error): string {
  return `Update for '${metadata.name}' of type '${kind}' in namespace '${metadata.namespace}' failed with error ${error.message}`;
}

/** `Secret shop/credentials, ConfigMap shop/settings` */
export function causesText({ causes }: Pick<ReloadPlan, 'causes'>): string {
  return causes.map(({ ref }) => `${ref.kind} ${ref.namespace}/${ref.name}`).join(', ') || 'an undone reload';
}

/** `pod web-1 is protected by PodDisruptionBudget web since …` */
export function blockedText({ pod, budget, message, since }: BlockedEviction): string {
  const by = budget === '' ? 'a PodDisruptionBudget' : `PodDisruptionBudget ${budget}`;
  return `pod ${pod} is protected by ${by} since ${timestamp(since)}: ${message}`;
}
