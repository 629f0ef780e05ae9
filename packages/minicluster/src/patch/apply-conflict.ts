/** The 409 of an apply that would change fields of other managers, in the server's words. */
import { StatusError } from '../model/status.ts';
import { type FieldSet, paths } from './field-set.ts';
import type { ManagerInfo } from './managers.ts';
import { printElement } from './path-element.ts';

export interface Conflict {
  readonly owner: ManagerInfo;
  readonly fields: FieldSet;
}

export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const listed = conflicts
    .map(({ owner, fields }) => ({
      owner: printManager(owner),
      paths: [...paths(fields)].map((path) => path.map(printElement).join('')),
    }))
    .sort((a, b) => (a.owner < b.owner ? -1 : 1));
  const causes = listed.flatMap(({ owner, paths: fields }) =>
    fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${owner}`, field })),
  );
  const only = causes.length === 1 ? causes[0] : undefined;
  const message = only
    ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
    : `Apply failed with ${causes.length} conflicts: ${listed.map(describeOwner).join('\n')}`;
  return new StatusError(409, 'Conflict', message, { causes });
}

function describeOwner({ owner, paths: fields }: { owner: string; paths: string[] }): string {
  return [`conflicts with ${owner}:`, ...fields.map((field) => `- ${field}`)].join('\n');
}

function printManager({ manager, operation, apiVersion, subresource }: ManagerInfo): string {
  const name =
    JSON.stringify(manager) + (subresource ? ` with subresource ${JSON.stringify(subresource)}` : '');
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
