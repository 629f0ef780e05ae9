/** The message authentication code (HMAC) by which the operator recognizes the manifests that it kept. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface KeptFields {
  readonly uid: string;
  /** As JSON: with the Job's name and namespace. */
  readonly job: string;
  readonly ledger?: string;
}

/** Each field is prefixed by its length, so that text cannot move between fields; the place is part of the code. */
export function codeOf(
  key: Uint8Array,
  place: { readonly namespace: string; readonly name: string },
  { uid, job, ledger }: KeptFields,
): string {
  const mac = createHmac('sha256', key).update('reloader/kept-job/1\0');
  for (const part of [place.namespace, place.name, uid, job, ledger === undefined ? '-' : `+${ledger}`])
    mac.update(`${Buffer.byteLength(part)}:`).update(part);
  return mac.digest('base64url');
}

export function sameCode(one: string | undefined, other: string): boolean {
  const [a, b] = [Buffer.from(one ?? ''), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
