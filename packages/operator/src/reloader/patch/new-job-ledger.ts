/**
 * The ledger of a Job that was created anew. It is another object, so its ledger must name its own uid, which nobody
 * knows before it exists: a second write, which a crash may leave for the next process.
 */
import { getIfExists, type Stored } from '@reloader/runtime';
import { formatLedger, parseLedger } from '../ledger/ledger.ts';
import { FIELD_MANAGER, FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Outcome } from '../model/plan.ts';
import { JOBS, type JobContext, keyOfJob } from './job-context.ts';
import type { RawJob } from './job-copy.ts';
import type { KeptJob } from './kept-jobs.ts';
import { annotationOperations, ledgerChange } from './ledger-operations.ts';
import { outcomeOf } from './outcome.ts';

/** The engine may record the new Job from its mark at the same time. */
const TRIES = 3;
const DONE: Outcome = { kind: 'done', changed: true };

/** Refused, or not to be had: the mark on the template stands for it, and the reload is done all the same. */
export async function recordNewJob(
  context: JobContext,
  kept: KeptJob,
  found: Stored<RawJob> | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  const { client } = context;
  let live = found;
  let refused: Outcome = DONE;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    live ??= await getIfExists(client, JOBS, keyOfJob(kept.job), signal);
    const wanted = live && wantedLedger(live, kept);
    if (!live || wanted === undefined) return DONE;
    const { uid, annotations } = live.metadata;
    const about = { metadata: { uid }, hasAnnotations: annotations !== undefined };
    const operations = annotationOperations(
      about,
      ledgerChange(annotations?.[FIXED_ANNOTATIONS.ledger], wanted),
    );
    const patch = { type: 'json', operations } as const;
    try {
      await client.patch(JOBS, keyOfJob(kept.job), patch, { fieldManager: FIELD_MANAGER, signal });
      return DONE;
    } catch (error) {
      refused = outcomeOf(error);
      if (refused.kind !== 'conflict') break;
      live = undefined;
    }
  }
  const note = 'message' in refused ? refused.message : '';
  return { kind: 'done', changed: true, recorded: false, note };
}

/** Undefined: this is not the Job that was made from the manifest, or it already tells of its reload. */
function wantedLedger(live: Stored<RawJob>, { uid: old, job, ledger }: KeptJob): string | undefined {
  const { uid, annotations } = live.metadata;
  if (uid === old || markOf(live) === undefined || markOf(live) !== markOf(job)) return undefined;
  const ours = parseLedger(ledger);
  if (ours.kind !== 'ledger') return undefined;
  const standing = parseLedger(annotations?.[FIXED_ANNOTATIONS.ledger]);
  if (standing.kind !== 'ledger' || standing.ledger.uid !== uid) return formatLedger({ ...ours.ledger, uid });
  return isSilent(standing.ledger, ours.ledger)
    ? formatLedger({ ...ours.ledger, ...standing.ledger, recent: ours.ledger.recent })
    : undefined;
}

/** Read back from the mark, a ledger knows the number of its last reload and nothing else about it. */
function isSilent({ seq, recent }: Ledger, ours: Ledger): boolean {
  return seq === ours.seq && !recent.some((reload) => reload.seq === seq);
}

function markOf({ spec }: RawJob): string | undefined {
  return spec?.template?.metadata?.annotations?.[FIXED_ANNOTATIONS.rolled];
}
