/**
 * What is said about custom resources when somebody applies them: every field that the operator could not carry out,
 * in the words that its status would use.
 *
 * Only what is new is judged. An object from before, a change of metadata and an object on its way out pass, so that
 * nobody is kept from mending, annotating or deleting what is already there.
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
import { configFacts } from '../reloader/project/config-projection.ts';
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
    // A request has the object as it will be stored, which is what a cache would hold.
    [RELOADER_CONFIG_PATH]: checking<ReloaderConfigObject>(
      (config) => configFacts(config as Stored<ReloaderConfigObject>, names).problems,
    ),
    [POD_CONFIG_PATH]: checking<PodConfigMapConfig>(problemsOf),
  };
}

function checking<T extends KubernetesObject & { spec?: unknown }>(
  problemsIn: (object: T) => readonly Problem[],
): AdmissionHandler {
  const judge = (object: T, request: AdmissionRequest): AdmissionAnswer => {
    const problems = problemsIn(object);
    return problems.length === 0 ? allow() : invalid(request, problems);
  };
  return validator<T>({
    create: (object, request) => judge(object, request),
    update: (object, old, request) =>
      object.metadata?.deletionTimestamp !== undefined || deepEqual(object.spec, old.spec)
        ? allow()
        : judge(object, request),
  });
}
