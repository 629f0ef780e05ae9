/** Reads a List body item by item. Each item is passed on and dropped. */
import type { Clock } from '../../clock/clock.ts';
import { EventLoopBudget } from '../../clock/event-loop-budget.ts';
import type { ListMeta } from '../../model/types.ts';
import { isRecord, parseJson } from './json.ts';
import { ListSplitter } from './list-splitter.ts';

export interface ListDecoding {
  readonly maxBytes: number;
  readonly clock: Clock;
}

export interface DecodedList {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
  readonly metadata: ListMeta;
}

export async function readList(
  body: AsyncIterable<Uint8Array>,
  onItem: (item: unknown) => void,
  decoding: ListDecoding,
): Promise<DecodedList> {
  const splitter = new ListSplitter(decoding.maxBytes);
  const loopBudget = new EventLoopBudget(decoding.clock);
  const parseItem = (text: string, index: number): void =>
    onItem(parseJson(text, `Item ${index} of the list`));
  for await (const chunk of body) {
    splitter.push(chunk, parseItem);
    const pause = loopBudget.pause();
    if (pause) await pause;
  }
  const frame = splitter.end();
  return {
    apiVersion: typeof frame.apiVersion === 'string' ? frame.apiVersion : undefined,
    kind: typeof frame.kind === 'string' ? frame.kind : undefined,
    metadata: listMetaOf(frame.metadata),
  };
}

function listMetaOf(metadata: unknown): ListMeta {
  const meta: ListMeta = {};
  if (!isRecord(metadata)) return meta;
  if (typeof metadata.resourceVersion === 'string') meta.resourceVersion = metadata.resourceVersion;
  if (typeof metadata.continue === 'string' && metadata.continue !== '') meta.continue = metadata.continue;
  if (typeof metadata.remainingItemCount === 'number') meta.remainingItemCount = metadata.remainingItemCount;
  return meta;
}
