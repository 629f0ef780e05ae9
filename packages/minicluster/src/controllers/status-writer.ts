/** Writes a status only if it differs, so that a settled cluster writes nothing. */
import { isDeepStrictEqual } from 'node:util';
import type { KindRef, LocalApi } from '../model/local-api.ts';
import type { KubeObject } from '../model/object.ts';
import type { Condition } from './types.ts';

export function writeStatus(
  api: LocalApi,
  kind: KindRef,
  object: KubeObject,
  status: Record<string, unknown>,
  user: string,
): void {
  // JSON has no undefined: drop it, so that comparing and storing agree.
  const wanted = JSON.parse(JSON.stringify(status)) as Record<string, unknown>;
  if (isDeepStrictEqual(wanted, object.status ?? {})) return;
  api.updateStatus(kind, { ...object, status: wanted }, user);
}

/** The list with this condition set; its transition time changes only with its status. */
export function withCondition(
  conditions: readonly Condition[] | undefined,
  next: Condition,
  now: string,
): Condition[] {
  const before = conditions?.find(({ type }) => type === next.type);
  const lastTransitionTime = before?.status === next.status ? before.lastTransitionTime : now;
  const same =
    before?.status === next.status && before.reason === next.reason && before.message === next.message;
  if (before && same) return [...(conditions ?? [])];
  const set = { ...next, ...(lastTransitionTime && { lastTransitionTime }) };
  return before
    ? (conditions ?? []).map((condition) => (condition.type === next.type ? set : condition))
    : [...(conditions ?? []), set];
}

export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
