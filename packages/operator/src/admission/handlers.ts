/**
 * The answers for custom resources that a user applies: every field that the operator could not carry out, with the
 * same messages as the status.
 *
 * Only new mistakes are refused. Existing objects, changes of metadata and objects being deleted pass, so that users
 * can always repair, annotate or delete them.
 */
import {
  type AdmissionAnswer,
  type AdmissionHandler,
  type AdmissionRequest,
  allow,
  deepEqual,
  invalid,
  type KubernetesObject,
  type Stored,
  validator,
} from '@reloader/runtime';
import type { PodConfigMapConfig } from '../podconfig/model.ts';
import { problemsOf } from '../podconfig/project.ts';
import type { AnnotationNames } from '../reloader/model/annotations.ts';
import type { ReloaderConfigObject } from '../reloader/model/kinds.ts';
import { configFacts, MOST_CONDITIONS } from '../reloader/project/config-projection.ts';
import { SOURCE_PATH, type SourceAdmission, sourceHandler } from './sources.ts';

export const RELOADER_CONFIG_PATH = '/validate-reloaderconfig';
export const POD_CONFIG_PATH = '/validate-podconfigmapconfig';

interface Problem {
  readonly field: string;
  readonly message: string;
}

export function admissionHandlers(
  names: AnnotationNames,
  sources?: SourceAdmission,
): Readonly<Record<string, AdmissionHandler>> {
  return {
    ...(sources && { [SOURCE_PATH]: sourceHandler(sources) }),
    // The request has the object as it will be stored, so it is read like an object of the cache.
    [RELOADER_CONFIG_PATH]: checking<ReloaderConfigObject>(
      (config) =>
        configFacts(config as Stored<ReloaderConfigObject>, names, MOST_CONDITIONS.admitted).problems,
    ),
    [POD_CONFIG_PATH]: checking<PodConfigMapConfig>(problemsOf),
  };
}

function checking<T extends KubernetesObject & { spec?: unknown }>(
  problemsIn: (object: T) => readonly Problem[],
): AdmissionHandler {
  const judge = (object: T, request: AdmissionRequest, old?: T): AdmissionAnswer => {
    const problems = problemsIn(object);
    const fresh = old && problems.length > 0 ? newProblems(problems, problemsIn(old)) : problems;
    return fresh.length === 0 ? allow() : invalid(request, fresh);
  };
  return validator<T>({
    create: (object, request) => judge(object, request),
    update: (object, old, request) =>
      object.metadata?.deletionTimestamp !== undefined || deepEqual(object.spec, old.spec)
        ? allow()
        : judge(object, request, old),
  });
}

/** Those that the object did not have before, wherever in a list they were. */
function newProblems(problems: readonly Problem[], before: readonly Problem[]): Problem[] {
  const known = new Map<string, number>();
  const nameOf = ({ field, message }: Problem): string => `${field.replace(/\[\d+\]/g, '[]')} ${message}`;
  for (const problem of before) known.set(nameOf(problem), (known.get(nameOf(problem)) ?? 0) + 1);
  return problems.filter((problem) => {
    const left = known.get(nameOf(problem)) ?? 0;
    known.set(nameOf(problem), left - 1);
    return left <= 0;
  });
}
