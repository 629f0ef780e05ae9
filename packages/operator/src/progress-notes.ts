import { baseOf, NO_BASE, outcomesOf, restoringIn } from './reloader/ledger/note.ts';
import { outcomesOfNote } from './reloader/ledger/outcomes.ts';
import { refOf } from './reloader/model/workload.ts';
import type { Notebook } from './reloader/notebook/notebook.ts';
import type { ProgressNotes } from './reloader/patch/executor.ts';

/** Notes that must be stored before the engine acts. */
export function progressNotes(notebook: Notebook): ProgressNotes {
  return {
    async beginEviction({ workload, ledgerBefore, recordBefore, ledger }, evicting, signal) {
      const ref = refOf(workload);
      const { uid } = workload.metadata;
      const known = notebook.note(ref);
      const record = recordBefore ?? ledger;
      const restoring = restoringIn(known, uid, record.seq);
      notebook.put(ref, {
        record,
        base: baseOf(ledgerBefore),
        evicting,
        ...outcomesOfNote(outcomesOf(known, uid)),
        ...(restoring && { restoring }),
      });
      await notebook.stored(ref, signal);
    },
    async jobCreated({ ref, uid }, ledger, signal) {
      notebook.put(ref, { record: { ...ledger, uid }, base: NO_BASE });
      await notebook.stored(ref, signal);
    },
  };
}
