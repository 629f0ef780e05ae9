/** Seeds of the campaign that failed once: every run repeats them. A comment at each says what was wrong. */
export const ONCE_BROKEN: readonly number[] = [
  // The test: the end of one freeze removed a second one of the same workload, and the judge expected both.
  10,
  // The operator: a change that was pending when the digest key was lost was taken for older than a record of a clock
  // ahead.
  22,
  // The operator: its clock was behind the server's, so that the first reload of each workload seemed older than the
  // ReloaderConfig that asked for it, and was not counted.
  2,
  // The test: a window of one ReloaderConfig allowed reloads only while a window of another one denied them.
  114,
  // The operator: a canary waited for ever for the outcome of a reload that another one had followed.
  310,
  // The operator: waves waited for ever for a reload whose outcome was noted as open, because the answer to the next
  // reload was lost.
  1547,
  // The test: a user's word `now` ends a pause early.
  627,
  // The operator: with its clock ahead, it restarted a workload ten times for a source that had changed and changed
  // back.
  111,
  // The test: with the digest key and the notebook both lost, an operator is a new installation.
  14,
  // The test: without a record, a label that was edited looks like a change.
  26,
  // The operator: it did not notice that its notebook was deleted, as long as it had nothing to note.
  157,
  // The operator: a record was in its memory only, after the answer to a reload was lost and the ledger removed.
  226,
  // The operator: notes were lost, and a Namespace that was frozen counted as just opted in.
  385,
  // The operator: the digest key was lost, and a record of a clock ahead seemed newer than the change that waited.
  202,
];
