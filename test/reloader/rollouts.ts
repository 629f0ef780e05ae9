/** The number of rollouts of a workload, from the versions of its template alone. */
import { isDeepStrictEqual } from 'node:util';
import type { ChronicleObject, Version } from './chronicle.ts';

export interface PodTemplate {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>>; readonly labels?: object };
  readonly spec?: {
    readonly containers?: readonly {
      readonly name: string;
      readonly image?: string;
      readonly env?: readonly { readonly name: string; readonly value?: string }[];
    }[];
  };
}

export function templateOf({ kind, spec = {} }: ChronicleObject): PodTemplate {
  if (kind === 'CronJob') {
    const { jobTemplate } = spec as { jobTemplate?: { spec?: { template?: PodTemplate } } };
    return jobTemplate?.spec?.template ?? {};
  }
  return (spec as { template?: PodTemplate }).template ?? {};
}

/** A Job's template is immutable: each re-creation counts. */
export function rolloutsOf(versions: readonly Version[]): number {
  return templateChanges(versions).length;
}

/** The versions that differ in their template from the one before. */
export function templateChanges(versions: readonly Version[]): Version[] {
  const changes: Version[] = [];
  let previous: Version | undefined;
  for (const version of versions) {
    if (version.type === 'DELETED') continue;
    if (previous) {
      const made = previous.object.metadata.uid !== version.object.metadata.uid;
      const changed =
        version.kind === 'Job'
          ? made
          : !made && !isDeepStrictEqual(templateOf(previous.object), templateOf(version.object));
      if (changed) changes.push(version);
    }
    previous = version;
  }
  return changes;
}
