/** Finds the name that a user probably meant: the candidate with the fewest typing errors, if they are few. */
const MOST_ERRORS = 3;

export function nearest(written: string, candidates: readonly string[]): string | undefined {
  const lower = written.toLowerCase();
  let best: string | undefined;
  let fewest = Math.min(MOST_ERRORS, Math.floor(written.length / 2)) + 1;
  for (const candidate of candidates) {
    // The difference in length is a lower bound of the edit distance.
    if (Math.abs(candidate.length - written.length) >= fewest) continue;
    const errors = editDistance(lower, candidate.toLowerCase());
    if (errors >= fewest) continue;
    fewest = errors;
    best = candidate;
  }
  return best;
}

/** Insertions, deletions and replacements between two words. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1];
      next.push(Math.min((row[j - 1] ?? 0) + (same ? 0 : 1), (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
