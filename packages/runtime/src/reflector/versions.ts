/**
 * Order of resourceVersions. Kubernetes promises (KEP-5504) that they are decimal numbers of any length, so they are
 * compared as text: the longer one is newer, and equal lengths compare digit by digit. A JavaScript number could not
 * tell neighbours above 2^53 apart.
 */
const DECIMAL = /^(0|[1-9][0-9]*)$/;

/** Below zero when `a` is older, above when it is newer; `undefined` when one of them is not a decimal number. */
export function compareVersions(a: string, b: string): number | undefined {
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether `version` is known to be older than `reference`. False if they cannot be compared. */
export function isOlder(version: string, reference: string | undefined): boolean {
  if (reference === undefined) return false;
  const order = compareVersions(version, reference);
  return order !== undefined && order < 0;
}

/** Whether having seen `version` implies having seen `reference`. If they cannot be compared they must be equal. */
export function hasReached(version: string | undefined, reference: string): boolean {
  if (version === undefined) return false;
  const order = compareVersions(version, reference);
  return order === undefined ? version === reference : order >= 0;
}

/** The newer of two; the second if they cannot be compared, because it was seen later. */
export function newerOf(earlier: string | undefined, later: string): string {
  return isOlder(later, earlier) && earlier !== undefined ? earlier : later;
}
