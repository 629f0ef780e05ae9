/** Maps each path within the repository to its content with that version. */
export function withVersion(version: string): ReadonlyMap<string, string>;
