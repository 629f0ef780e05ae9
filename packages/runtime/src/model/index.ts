export { ConfigurationError, type ReasonOptions, TerminalError } from './errors.ts';
export type { Result } from './result.ts';
export type * from './types.ts';
export { keyOf, keyString, parseKey } from './types.ts';
