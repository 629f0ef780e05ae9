/** The API described for machines. */
import type { ApiResponse } from '../request.ts';
import type { NonResourceCall } from './serve.ts';

export function serveOpenApi(_call: NonResourceCall, _parts: readonly string[]): ApiResponse | undefined {
  return undefined;
}
