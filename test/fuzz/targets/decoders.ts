/** Answers of the API server or of a proxy in between: lists and watch events, in chunks of any size. */

import { LineSplitter } from '../../../packages/runtime/src/client/decode/lines.ts';
import { ListSplitter } from '../../../packages/runtime/src/client/decode/list-splitter.ts';
import { DecodeError } from '../../../packages/runtime/src/client/errors.ts';
import { must, type Target } from '../target.ts';

const LARGEST = 4_096;
const ITEM = '{"metadata":{"name":"a","resourceVersion":"7"},"data":{"k":"v\\"[]{},:"}}';

interface Decoded {
  readonly items: readonly string[];
  readonly frame: unknown;
}

export const decoders: Target = {
  name: 'decoders',
  code: ['runtime/src/client/decode/'],
  longest: LARGEST,
  words: [
    '"items"',
    '"items":[',
    '"items":null',
    '],',
    '"metadata":{"continue":"x"}',
    '{"type":"ADDED","object":{}}\n',
    '\\u0022',
    '\\"',
    '\n',
    '{"items":[]}',
    ITEM,
  ],
  seeds: [
    `{"kind":"List","items":[${ITEM},${ITEM}],"metadata":{"resourceVersion":"9"}}`,
    `{"metadata":{"items":[1]},"items": [ ] }`,
    `{"items":null}`,
    `{"type":"ADDED","object":${ITEM}}\n{"type":"BOOKMARK","object":{}}\n`,
    '{"items":[1,"two",[3,{"four":5}],null,true]}',
  ],
  run(input) {
    // The first character sets the chunk size.
    const size = 1 + ((input.codePointAt(0) ?? 0) % 17);
    const bytes = Buffer.from(input, 'latin1');
    const whole = list([bytes]);
    const cut = list(chunks(bytes, size));
    must(JSON.stringify(whole) === JSON.stringify(cut), `a list in chunks of ${size} is another one`);
    if (whole) agrees(whole, bytes);
    const lines = linesOf([bytes]);
    must(
      JSON.stringify(lines) === JSON.stringify(linesOf(chunks(bytes, size))),
      `lines in chunks of ${size} are others`,
    );
  },
};

/** If all of it is JSON, the items equal those of `JSON.parse`. */
function agrees({ items }: Decoded, bytes: Buffer): void {
  let parsed: { items?: unknown };
  let texts: unknown[];
  try {
    parsed = JSON.parse(bytes.toString('utf8')) as { items?: unknown };
    texts = items.map((text) => JSON.parse(text) as unknown);
  } catch {
    return;
  }
  // For a duplicate field, JSON.parse takes the last one; no server sends that.
  if (bytes.toString('latin1').split('"items"').length !== 2) return;
  must(JSON.stringify(texts) === JSON.stringify(parsed.items ?? []), 'its items are not those of the JSON');
}

function list(parts: readonly Buffer[]): Decoded | undefined {
  const splitter = new ListSplitter(LARGEST);
  const items: string[] = [];
  try {
    for (const part of parts) splitter.push(part, (text) => items.push(text));
    return { items, frame: splitter.end() };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return undefined;
  }
}

function linesOf(parts: readonly Buffer[]): string[] | undefined {
  const splitter = new LineSplitter(LARGEST, 'A line');
  try {
    return [...parts.flatMap((part) => [...splitter.push(part)]), splitter.end()];
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return undefined;
  }
}

function chunks(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}
