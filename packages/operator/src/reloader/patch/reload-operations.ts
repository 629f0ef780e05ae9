/** The single PATCH of a reload: pod template and ledger together. Pure. */
import { type JsonPatchOperation, timestamp } from '@reloader/runtime';
import { type AnnotationNames, FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { ReloadPlan } from '../model/plan.ts';
import { isCustom } from '../model/workload.ts';
import { type AnnotationChange, annotationOperations, ledgerChange } from './ledger-operations.ts';
import { pointer, set, test, testsFirst } from './operations.ts';
import { pauseWith } from './pause.ts';
import { templateChange } from './template-change.ts';
import { templateOperations } from './template-operations.ts';

export function reloadOperations(plan: ReloadPlan, names: AnnotationNames): JsonPatchOperation[] {
  const { workload, ledgerBefore, ledgerAfter } = plan;
  const custom = isCustom(workload.kind);
  const pause = pauseWith(plan, names);
  const template = templateOperations(templateChange(plan, workload.containers[0]?.name), workload, !custom);
  return testsFirst([
    ...annotationOperations(workload, {
      ...ledgerChange(ledgerBefore, ledgerAfter),
      ...usedUp(plan),
      ...pause?.annotations,
    }),
    ...(template.creates && custom ? [sameVersion(plan)] : []),
    ...sameMark(plan),
    ...template.operations,
    ...(pause?.operations ?? []),
  ]);
}

/** Argo's own restart: its controller replaces the pods, the template stays as it is. */
export function restartAtOperations(plan: ReloadPlan): JsonPatchOperation[] {
  const { workload, ledgerBefore, ledgerAfter, now } = plan;
  return testsFirst([
    ...annotationOperations(workload, { ...ledgerChange(ledgerBefore, ledgerAfter), ...usedUp(plan) }),
    set(pointer('spec', 'restartAt'), timestamp(now)),
  ]);
}

/** Removes annotations that this reload has used up. Only cleanup: they name the number of their reload. */
export function usedUp({ usedWords }: ReloadPlan): Readonly<Record<string, AnnotationChange>> {
  const changes = Object.entries(usedWords).map(([name, before]) => [name, { before, after: undefined }]);
  return Object.fromEntries(changes);
}

/** Tests the mark, too: if a tool has removed the ledger, the mark still shows that this was rolled out already. */
export function sameMark({
  workload: { hasTemplateAnnotations, templateAnnotations },
}: ReloadPlan): JsonPatchOperation[] {
  if (!hasTemplateAnnotations) return [];
  const path = pointer('spec', 'template', 'metadata', 'annotations', FIXED_ANNOTATIONS.rolled);
  return [test(path, templateAnnotations[FIXED_ANNOTATIONS.rolled])];
}

export function sameVersion({ workload }: ReloadPlan): JsonPatchOperation {
  return test(pointer('metadata', 'resourceVersion'), workload.metadata.resourceVersion);
}
