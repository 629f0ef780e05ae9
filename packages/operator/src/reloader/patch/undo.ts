/**
 * Undoes a reload that failed: sets our fields on the pod template to those of its earlier revision, in one PATCH with
 * the ledger, so that the controller goes back to that revision. Living pods of that revision are not restarted.
 *
 * In: a plan with an undo. Out: the outcome; undefined if the undo is not possible, and an ordinary reload is due:
 * there is no such revision, a living pod may have read the failed content, or the right to list is missing.
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

/** The earlier values of our fields, or the reason why an undo is not possible. */
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
