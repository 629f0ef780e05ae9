/** The generated documentation of the flags. */
import { flagsDocument } from './documentation.ts';

/** Path within the repository to content. */
export function generatedDocuments(): ReadonlyMap<string, string> {
  return new Map([['docs/flags.md', flagsDocument()]]);
}
