/**
 * The hashes that Stakater Reloader writes: SHA-1, lower-case hex, over sorted `key=value` pairs joined by `;`.
 * Kept byte for byte, so that taking over from it, and handing back, restarts nothing.
 */
import { createHash } from 'node:crypto';

const SEPARATOR = Buffer.from(';');
const DELETE_MARKER = '__RELOADER_EMPTY_DELETE_MARKER__';

/** What it writes for a source that was deleted (annotations strategy). */
export const STAKATER_DELETED = sha1([Buffer.from(DELETE_MARKER)]);

/** `data` as text, `binaryData` in its base64 form. */
export function stakaterConfigMapHash(
  data: Readonly<Record<string, string>> | undefined,
  binaryData: Readonly<Record<string, string>> | undefined,
): string {
  return sha1([
    ...Object.entries(data ?? {}).map(([key, value]) => Buffer.from(`${key}=${value}`)),
    // Re-encoded: the API server accepts unpadded and padded base64 alike, and Go prints one form.
    ...Object.entries(binaryData ?? {}).map(([key, value]) =>
      Buffer.from(`${key}=${Buffer.from(value, 'base64').toString('base64')}`),
    ),
  ]);
}

/** `data` decoded to its bytes. */
export function stakaterSecretHash(data: Readonly<Record<string, string>> | undefined): string {
  return sha1(
    Object.entries(data ?? {}).map(([key, value]) =>
      Buffer.concat([Buffer.from(`${key}=`), Buffer.from(value, 'base64')]),
    ),
  );
}

/** The objects that a SecretProviderClassPodStatus lists, with the class's name. */
export function stakaterProviderClassHash(
  className: string,
  objects: readonly { readonly id: string; readonly version: string }[],
): string {
  return sha1([
    ...objects.map(({ id, version }) => Buffer.from(`${id}=${version}`)),
    Buffer.from(`SecretProviderClassName=${className}`),
  ]);
}

/** Sorted by bytes, as Go sorts strings; JavaScript would sort by UTF-16 units. */
function sha1(pairs: Buffer[]): string {
  const hash = createHash('sha1');
  pairs.sort(Buffer.compare).forEach((pair, index) => {
    if (index > 0) hash.update(SEPARATOR);
    hash.update(pair);
  });
  return hash.digest('hex');
}
