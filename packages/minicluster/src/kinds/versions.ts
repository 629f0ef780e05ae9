/** Order of an API group's versions, the preferred one first. */

/** The newest stable version first: v2, v1, v1beta2, v1beta1, v1alpha1, and then all other forms. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  for (const [index, value] of left.entries()) {
    const difference = (right[index] ?? 0) - value;
    if (difference !== 0) return difference;
  }
  return 0;
}

function rank(version: string): readonly number[] | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return undefined;
  const stability = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
  return [stability, Number(match[1]), Number(match[3] ?? 0)];
}
