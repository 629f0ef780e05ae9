/**
 * Reloads an Argo Rollout with a `workloadRef`: changes the pod template of the referenced workload, and not the
 * Rollout. By the mark on the template, a retry sees that the first attempt succeeded; the record is in the notebook.
 */
import type { KubernetesObject, ResourceType, Stored } from '@reloader/runtime';
import { FIELD_MANAGER, FIXED_ANNOTATIONS } from '../model/annotations.ts';
import { WORKLOAD_TYPES } from '../model/kinds.ts';
import type { Outcome, ReloadPlan } from '../model/plan.ts';
import type { WorkloadRef } from '../model/workload.ts';
import { isCustom } from '../model/workload.ts';
import type { PatchContext } from './context.ts';
import { pointer, test, testsFirst } from './operations.ts';
import { outcomeOf } from './outcome.ts';
import { type RawTemplate, shapeOf } from './raw-template.ts';
import { templateChange } from './template-change.ts';
import { templateOperations } from './template-operations.ts';

interface Templated extends KubernetesObject {
  spec?: { template?: RawTemplate };
}

export async function reloadBorrowed(
  context: PatchContext,
  plan: ReloadPlan,
  { kind, namespace, name }: WorkloadRef,
  signal: AbortSignal,
): Promise<Outcome> {
  const { client } = context;
  const type: ResourceType<Templated> = WORKLOAD_TYPES[kind];
  try {
    const lender = await client.get(type, { namespace, name }, { signal });
    const standing = lender.spec?.template?.metadata?.annotations?.[FIXED_ANNOTATIONS.rolled];
    if (standing !== plan.mark) {
      await client.patch(
        type,
        { namespace, name },
        { type: 'json', operations: borrowedOperations(plan, lender, !isCustom(kind)) },
        { fieldManager: FIELD_MANAGER, signal },
      );
    }
  } catch (error) {
    return outcomeOf(error);
  }
  return { kind: 'done', changed: true, noteOnly: true };
}

export function borrowedOperations(plan: ReloadPlan, lender: Stored<Templated>, typed: boolean) {
  const template = lender.spec?.template;
  const change = templateChange(plan, template?.spec?.containers?.[0]?.name);
  const shape = shapeOf(template, new Set(change.variables.map(({ name }) => name)));
  const { operations, creates } = templateOperations(change, shape, typed);
  const { uid, resourceVersion } = lender.metadata;
  return testsFirst([
    test(pointer('metadata', 'uid'), uid),
    ...(creates && !typed ? [test(pointer('metadata', 'resourceVersion'), resourceVersion)] : []),
    ...operations,
  ]);
}
