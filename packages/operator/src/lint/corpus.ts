/**
 * All manifests together: the other objects that are known while one is checked.
 *
 * Nothing is concluded if the files have no object of that sort: a missing Secret is reported only if the files have
 * other Secrets of that namespace.
 */

import { DEFAULT_ANNOTATIONS } from '../reloader/model/annotations.ts';
import type { PodFacts } from '../reloader/model/pod-facts.ts';
import type { SourceKind } from '../reloader/model/source.ts';
import { WORKLOAD_KINDS, type WorkloadFacts, type WorkloadKind } from '../reloader/model/workload.ts';
import { workloadFacts } from '../reloader/project/workload-projection.ts';
import { referencedBy } from '../reloader/want/references.ts';
import { isJson, type Json, type Manifest } from './documents.ts';

const WORKLOAD_GROUPS: Readonly<Record<WorkloadKind, readonly string[]>> = {
  Deployment: ['apps'],
  StatefulSet: ['apps'],
  DaemonSet: ['apps'],
  CronJob: ['batch'],
  Job: ['batch'],
  Rollout: ['argoproj.io'],
  DeploymentConfig: ['apps.openshift.io'],
};

export interface LintedWorkload {
  readonly manifest: Manifest;
  readonly facts: WorkloadFacts;
}

export interface LintedSource {
  readonly manifest: Manifest;
  readonly kind: 'Secret' | 'ConfigMap';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, unknown>>;
}

export class Corpus {
  readonly manifests: readonly Manifest[];
  readonly workloads: readonly LintedWorkload[];
  readonly sources: readonly LintedSource[];

  constructor(manifests: readonly Manifest[]) {
    this.manifests = manifests;
    this.workloads = manifests.flatMap((manifest) => {
      const kind = workloadKindOf(manifest);
      return kind ? [{ manifest, facts: factsOf(manifest, kind) }] : [];
    });
    this.sources = manifests.flatMap((manifest) => {
      const { kind, apiVersion } = manifest;
      return (kind === 'Secret' || kind === 'ConfigMap') && apiVersion === 'v1'
        ? [
            {
              manifest,
              kind,
              labels: textsOf(metadataOf(manifest).labels),
              annotations: annotationsOf(manifest),
            },
          ]
        : [];
    });
  }

  sourcesIn(namespace: string, kind: SourceKind): readonly LintedSource[] {
    return this.sources.filter((source) => source.kind === kind && source.manifest.namespace === namespace);
  }

  source(namespace: string, kind: SourceKind, name: string): LintedSource | undefined {
    return this.sourcesIn(namespace, kind).find(({ manifest }) => manifest.name === name);
  }

  workloadsIn(namespace: string): readonly LintedWorkload[] {
    return this.workloads.filter(({ manifest }) => manifest.namespace === namespace);
  }

  namespace(name: string): Manifest | undefined {
    return this.manifests.find(
      ({ kind, apiVersion, name: each }) => kind === 'Namespace' && apiVersion === 'v1' && each === name,
    );
  }
}

export function workloadKindOf({ kind, apiVersion }: Manifest): WorkloadKind | undefined {
  const known = WORKLOAD_KINDS.find((each) => each === kind);
  const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [''];
  return known && WORKLOAD_GROUPS[known].includes(group) ? known : undefined;
}

export function metadataOf({ object }: Manifest): Json {
  return isJson(object.metadata) ? object.metadata : {};
}

export function annotationsOf(manifest: Manifest): Json {
  const { annotations } = metadataOf(manifest);
  return isJson(annotations) ? annotations : {};
}

/** The path of the pod template. */
export function templatePath(kind: WorkloadKind): readonly string[] {
  return kind === 'CronJob' ? ['spec', 'jobTemplate', 'spec', 'template'] : ['spec', 'template'];
}

export function valueAt(object: unknown, path: readonly (string | number)[]): unknown {
  let value: unknown = object;
  for (const part of path) {
    if (Array.isArray(value) && typeof part === 'number') value = value[part];
    else if (isJson(value)) value = value[String(part)];
    else return undefined;
  }
  return value;
}

export function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isJson(value)) return {};
  const texts = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}

/** As the operator would read it. An invalid manifest is read as one without a template. */
function factsOf(manifest: Manifest, kind: WorkloadKind): WorkloadFacts {
  const { name, namespace } = manifest;
  const stored = { name, namespace, uid: '', resourceVersion: '' };
  const object = structuredClone(manifest.object) as { metadata?: unknown; spec?: unknown; status?: unknown };
  const metadata = { ...(isJson(object.metadata) ? object.metadata : {}), ...stored };
  try {
    return workloadFacts({ ...object, metadata } as never, kind, DEFAULT_ANNOTATIONS);
  } catch {
    return workloadFacts({ metadata: stored } as never, kind, DEFAULT_ANNOTATIONS);
  }
}

/** The sources that the pods use. */
export function usedBy(pod: PodFacts): readonly { readonly kind: SourceKind; readonly name: string }[] {
  return referencedBy(pod);
}
