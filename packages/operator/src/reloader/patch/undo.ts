/**
 * Undoes a reload that failed: our fields on the pod template become what its earlier revision has, in one PATCH with the
 * ledger, and the controller goes back to that revision. Pods of it that still live are not restarted.
 *
 * In: a plan with a way back. Out: what became of it; undefined where the way is not open, and an ordinary reload is
 * due: no such revision, a living pod that may have read what failed, or no right to look.
 */
import { ForbiddenError } from '@reloader/runtime';
import { livingPods } from '../evidence/owned-pods.ts';
import { earlierFields } from '../evidence/revisions.ts';
import { parseMark } from '../ledger/marks.ts';
import type { OwnFields } from '../model/own-fields.ts';
import type { Outcome, ReloadPlan, UndoPlan } from '../model/plan.ts';
import { type PatchContext, patchWorkload } from './context.ts';
import { mayHaveRead } from './undo-evidence.ts';
import { undoOperations } from './undo-operations.ts';

export async function undo(
  context: PatchContext,
  plan: ReloadPlan,
  undone: UndoPlan,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { workload } = plan;
  const found = await wayBack(context, plan, undone, signal);
  if (typeof found === 'string') {
    const { kind, metadata } = workload;
    const { namespace, name } = metadata;
    const why = { kind, namespace, name, seq: undone.seq, because: found };
    context.logger.info('A reload that failed is not undone but followed by another one', why);
    return undefined;
  }
  const operations = undoOperations(plan, undone, found);
  if (!operations) return undefined;
  return (
    (await patchWorkload(context, workload, operations, signal)) ?? { kind: 'done', changed: true, undone }
  );
}

/** Our fields as they were, or why there is no way back. */
async function wayBack(
  { client, settings }: PatchContext,
  { workload }: ReloadPlan,
  { seq, fields, ...between }: UndoPlan,
  signal: AbortSignal,
): Promise<OwnFields | string> {
  const before = await ifAllowed(() => earlierFields(client, workload, fields, settings.names, signal));
  if (before === 'forbidden') return 'its earlier revisions may not be listed';
  if (!before) return 'its earlier revision is gone';
  const pods = await ifAllowed(() => livingPods(client, workload, signal));
  if (pods === 'forbidden') return 'its pods may not be listed';
  const old = pods.filter(({ mark }) => parseMark(mark)?.seq !== seq);
  const doubtful = old.find((pod) => mayHaveRead(pod, between));
  return doubtful ? `pod ${doubtful.name} may have read what failed` : before;
}

async function ifAllowed<T>(ask: () => Promise<T>): Promise<T | 'forbidden'> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ForbiddenError) return 'forbidden';
    throw error;
  }
}
