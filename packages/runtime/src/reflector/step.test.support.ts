/** Notation for the state machine's test tables: states, inputs and outputs in short form. */
import type { WatchEvent } from '../client/client.ts';
import { apiErrorFrom, ConnectionError, DecodeError } from '../client/errors.ts';
import { failureFrom } from './failure.ts';
import type { Item } from './fake-server.test.support.ts';
import {
  DEFAULT_CONFIG,
  type Input,
  initialState,
  type Memory,
  type PageRequest,
  type State,
} from './state.ts';
import { step } from './step.ts';

export type Happening =
  Input<Item> extends infer I ? (I extends { at: number } ? Omit<I, 'at'> : never) : never;

export interface Expected {
  readonly state: State['name'];
  readonly effect: object;
  readonly output?: object;
  readonly memory?: Partial<Memory>;
  readonly problem?: string;
  readonly relist?: string;
}

export interface Row {
  readonly name: string;
  readonly from: State;
  readonly config?: Partial<typeof DEFAULT_CONFIG>;
  readonly input: Happening;
  /** How long after the request was sent. */
  readonly after?: number;
  readonly expected: Expected;
}

export const SENT = 1000;
export const base = initialState(DEFAULT_CONFIG).memory;

export const empty = (memory: Partial<Memory> = {}): State => ({
  name: 'empty',
  memory: { ...base, ...memory },
});
export const listed = (memory: Partial<Memory> = {}): State => ({
  name: 'listed',
  memory: { ...base, version: '50', ...memory },
});
export const watchListing = (memory: Partial<Memory> = {}, asked = '', opened = true): State => ({
  name: 'watch-listing',
  memory: { ...base, ...memory },
  opened,
  asked,
});
export const listing = (
  memory: Partial<Memory> = {},
  request: PageRequest = { limit: 500 },
  asked = '',
  version?: string,
): State => ({ name: 'listing', memory: { ...base, watchList: 'off', ...memory }, request, asked, version });
export const watching = (
  memory: Partial<Memory> = {},
  rest: Partial<Extract<State, { name: 'watching' }>> = {},
): State => ({
  name: 'watching',
  sentAt: SENT,
  opened: true,
  progressed: false,
  unordered: false,
  ...rest,
  memory: { ...base, version: '50', ...memory },
});

export const failed = (error: Error): Happening => ({ type: 'failed', failure: failureFrom(error) });
export const data = (type: 'ADDED' | 'MODIFIED' | 'DELETED', resourceVersion: string): WatchEvent<Item> => ({
  type,
  object: { metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion } },
});
export const event = (value: WatchEvent<Item>): Happening => ({ type: 'event', event: value });
export const bookmark = (resourceVersion: string, initialEventsEnd = false): Happening =>
  event({ type: 'BOOKMARK', resourceVersion, initialEventsEnd });

export const unsupported = apiErrorFrom({ code: 422, reason: 'Invalid' });
export const badToken = apiErrorFrom({ code: 400, reason: 'BadRequest' });
export const forbidden = apiErrorFrom({ code: 403, reason: 'Forbidden' });
export const missing = apiErrorFrom({ code: 404, reason: 'NotFound' });
export const unauthorized = apiErrorFrom({ code: 401, reason: 'Unauthorized' });
export const lost = new ConnectionError('reset');
export const garbled = new DecodeError('not JSON');

export const WAIT = { type: 'wait', retryAfterMs: 0 };
export const RECEIVE = { type: 'receive' };
export const watch = (resourceVersion: string): object => ({
  type: 'watch',
  resourceVersion,
  initial: false,
});
export const watchList = (resourceVersion: string): object => ({
  type: 'watch',
  resourceVersion,
  initial: true,
});
export const list = (request: PageRequest): object => ({ type: 'list', request });
export const BEGIN = { type: 'begin' };
export const DISCARD = { type: 'discard' };

/** A row's transition, in the form of its expectation. */
export function outcomeOf(row: Row): { readonly actual: object; readonly memory: Memory } {
  const { from, config, input, after = 0 } = row;
  const happening = { ...input, at: SENT + after } as Input<Item>;
  const transition = step<Item>({ ...DEFAULT_CONFIG, ...config }, from, happening);
  const actual = {
    state: transition.state.name,
    effect: transition.effect,
    output: transition.output,
    problem: transition.problem?.kind,
    relist: transition.relist,
  };
  return { actual, memory: transition.state.memory };
}
