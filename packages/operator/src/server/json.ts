/** JSON of long answers, item by item: an answer about ten thousand workloads does not block the event loop. */
import { inPieces } from '../pace/pieces.ts';

/** The same text as `JSON.stringify`. */
export async function jsonOf(body: unknown): Promise<string> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return JSON.stringify(body);
  const fields: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const text = Array.isArray(value) ? await listOf(value) : JSON.stringify(value);
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${fields.join(',')}}`;
}

async function listOf(items: readonly unknown[]): Promise<string> {
  const texts: string[] = [];
  await inPieces(items, (item) => texts.push(JSON.stringify(item) ?? 'null'));
  return `[${texts.join(',')}]`;
}
