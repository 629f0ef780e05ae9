export type * from './types.ts';
export { keyOf, keyString, parseKey } from './types.ts';
