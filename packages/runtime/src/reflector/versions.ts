/**
 * Order of resourceVersions. Kubernetes promises (KEP-5504) that they are decimal numbers of any length, so they
 * are compared as text: the longer one is the newer, and equal lengths compare digit by digit. Turning them into
 * a JavaScript number would confuse neighbours above 2^53.
 */
const DECIMAL = /^(0|[1-9][0-9]*)$/;

/** Below zero when `a` is older, above when it is newer; `undefined` when one of them is not a decimal number. */
export function compareVersions(a: string, b: string): number | undefined {
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether `version` is known to lie before `reference`. What cannot be compared is not known to. */
export function isOlder(version: string, reference: string | undefined): boolean {
  if (reference === undefined) return false;
  const order = compareVersions(version, reference);
  return order !== undefined && order < 0;
}

/** Whether having seen `version` means having seen `reference` too. What cannot be compared must be equal. */
export function hasReached(version: string | undefined, reference: string): boolean {
  if (version === undefined) return false;
  const order = compareVersions(version, reference);
  return order === undefined ? version === reference : order >= 0;
}

/** The newer of two; the second where they cannot be compared, because it was seen later. */
export function newerOf(earlier: string | undefined, later: string): string {
  return isOlder(later, earlier) && earlier !== undefined ? earlier : later;
}
