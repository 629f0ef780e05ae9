/** The digests that a ledger may hold for a content: computed from the content and the keys of this installation. */
import { framedDigests } from '../../packages/operator/src/reloader/digest/framed.ts';
import type { Chronicle, ChronicleObject, Ref } from '../reloader/chronicle.ts';
import { DIGEST_KEY } from '../reloader/names.ts';

/** One digest for each key that ever existed; only a Secret has more than one, and only if the key was lost. */
export function digestsOf(
  chronicle: Chronicle,
  source: Ref,
  { data = {}, binaryData = {} }: ChronicleObject,
): string[] {
  const secret = source.kind === 'Secret';
  const values = [
    ...Object.entries(data).map(
      ([name, value]) => [name, Buffer.from(value, secret ? 'base64' : 'utf8')] as const,
    ),
    ...Object.entries(binaryData).map(([name, value]) => [name, Buffer.from(value, 'base64')] as const),
  ];
  if (!secret) return [framedDigests(source, values, undefined).digest];
  const kept = chronicle.of({ kind: 'Secret', namespace: 'reloader', name: DIGEST_KEY });
  const keys = new Set(kept.map(({ object }) => object.data?.key ?? ''));
  return [...keys].map((key) => framedDigests(source, values, Buffer.from(key, 'base64')).digest);
}
