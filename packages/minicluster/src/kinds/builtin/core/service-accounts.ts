import { array, isRecord } from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { age, name } from '../../table.ts';
import { define } from '../define.ts';

export const serviceAccounts: Kind = define({
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  subresources: ['token'],
  generation: 'never',
  checksMetadataTwice: true,
  columns: [name, age],
  prepareForCreate: namesOnly,
  prepareForUpdate: namesOnly,
});

/** Of the Secrets that an account may use, only the names are kept. */
function namesOnly(object: Record<string, unknown>): void {
  if (!Array.isArray(object.secrets)) return;
  object.secrets = array(object.secrets).map((secret) => (isRecord(secret) ? { name: secret.name } : secret));
}
