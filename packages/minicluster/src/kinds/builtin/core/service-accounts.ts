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

/** Only the names of an account's Secrets are kept. */
function namesOnly(object: Record<string, unknown>): void {
  if (!Array.isArray(object.secrets)) return;
  object.secrets = array(object.secrets).map((secret) => (isRecord(secret) ? { name: secret.name } : secret));
}
