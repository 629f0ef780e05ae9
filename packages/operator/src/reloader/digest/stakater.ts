/**
 * The hashes that Stakater Reloader writes: SHA-1, lower-case hex, over sorted `key=value` pairs joined by `;`.
 * Identical byte for byte, so that a takeover from Stakater, or the way back, restarts nothing.
 */
import { type SourceValue, sortedByKey } from './framed.ts';
import { Message } from './message.ts';

const message = new Message();
const DELETE_MARKER = '__RELOADER_EMPTY_DELETE_MARKER__';

/** Stakater's hash for a deleted source (annotations strategy). */
export const STAKATER_DELETED = sha1([Buffer.from(DELETE_MARKER)]);

/** `data` as text, `binaryData` (decoded here) in its base64 form. */
export function stakaterConfigMapHash(
  data: readonly SourceValue[],
  binaryData: readonly SourceValue[],
): string {
  const encoded = ([key, value]: SourceValue): SourceValue => [
    key,
    // Re-encoded: the API server accepts padded and unpadded base64, and Go prints only one form.
    Buffer.from(Buffer.from(value).toString('base64')),
  ];
  return hashOf(binaryData.length === 0 ? data : [...data, ...binaryData.map(encoded)]);
}

/** `data` decoded to its bytes. */
export function stakaterSecretHash(data: readonly SourceValue[]): string {
  return hashOf(data);
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

function hashOf(values: readonly SourceValue[]): string {
  const [first] = values;
  // The most frequent case, a single value, needs no sorting.
  if (first && values.length === 1) return finished(message.addText(`${first[0]}=`).add(first[1]));
  if (!first || values.some(([key]) => key.includes('=')))
    return sha1(values.map(([key, value]) => Buffer.concat([Buffer.from(`${key}=`), value])));
  // No key contains `=`, so sorting by `key=` gives the same order as sorting the pairs, without copying values.
  const pairs = values.map(([key, value]): SourceValue => [`${key}=`, value]);
  sortedByKey(pairs).forEach(([key, value], index) => {
    message.addText(index > 0 ? `;${key}` : key).add(value);
  });
  return finished(message);
}

/** Sorted by bytes, as Go sorts strings; JavaScript would sort by UTF-16 units. */
function sha1(pairs: Buffer[]): string {
  pairs.sort(Buffer.compare).forEach((bytes, index) => {
    if (index > 0) message.addText(';');
    message.add(bytes);
  });
  return finished(message);
}

function finished(whole: Message): string {
  const hash = whole.digest('sha1').toString('hex');
  whole.wipe();
  return hash;
}
