/** Splits bytes into chunks, for decoder tests. */
import fc from 'fast-check';

export function cut(bytes: Uint8Array, positions: readonly number[]): Uint8Array[] {
  const cuts = [...new Set(positions.map((position) => position % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...cuts, bytes.length].map((end, index) => bytes.slice(index === 0 ? 0 : cuts[index - 1], end));
}

export function everyByte(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte));
}

/** Cut positions; `cut` folds them into the length of what is cut. */
export const cuts = fc.array(fc.nat(100_000), { maxLength: 12 });

/** Texts with one to four bytes per character, and every character that has a meaning in JSON. */
export const anyText = fc.string({
  unit: fc.constantFrom(...'ab{}[]:,"\\/ \n\u0000\u007f\u0080é߿ࠀ€\u2028\uffff😀\u{10ffff}'),
  maxLength: 60,
});

export async function* streamOf(chunks: Iterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
