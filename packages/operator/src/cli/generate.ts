/** The generated documentation of the commands. */
import { cliDocument } from './documentation.ts';

/** Path within the repository to content. */
export function generatedCliDocuments(): ReadonlyMap<string, string> {
  return new Map([['docs/cli.md', cliDocument()]]);
}
