/** The digest that a ledger must hold for some content: computed from the content and the key of this installation. */
import { framedDigests } from '../../packages/operator/src/reloader/digest/framed.ts';
import type { Chronicle, ChronicleObject, Ref } from '../reloader/chronicle.ts';
import { DIGEST_KEY } from '../reloader/names.ts';

export function digestOf(
  chronicle: Chronicle,
  source: Ref,
  { data = {}, binaryData = {} }: ChronicleObject,
): string {
  const secret = source.kind === 'Secret';
  const values = [
    ...Object.entries(data).map(
      ([name, value]) => [name, Buffer.from(value, secret ? 'base64' : 'utf8')] as const,
    ),
    ...Object.entries(binaryData).map(([name, value]) => [name, Buffer.from(value, 'base64')] as const),
  ];
  const keys = chronicle.now({ kind: 'Secret', namespace: 'reloader', name: DIGEST_KEY });
  const key = secret ? Buffer.from(keys?.data?.key ?? '', 'base64') : undefined;
  return framedDigests(source, values, key).digest;
}
