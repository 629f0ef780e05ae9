/** Decodes the bytes of a key to text. */
import type { Mistake } from './parsed.ts';

const BYTE_ORDER_MARK = '\uFEFF';

export function readText(bytes: Uint8Array): string | Mistake {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { what: 'is not UTF-8' };
  }
  if (text.startsWith(BYTE_ORDER_MARK)) {
    return { line: 1, what: 'begins with a byte order mark, which many programs do not take' };
  }
  const nul = text.indexOf('\0');
  if (nul < 0) return text;
  return { line: text.slice(0, nul).split('\n').length, what: 'holds a NUL character' };
}
