/**
 * The records that the operator keeps in its own namespace. They are no sources: most of them change with every reload,
 * so a workload that a list such as `.*` opts in to them would be reloaded for its own reloads, without end.
 *
 * Certificates are not among them: a client of the operator in the same namespace may mount one.
 */
import type { SourceKind, SourceRef } from './source.ts';

const RECORDS: Readonly<Record<SourceKind, RegExp | undefined>> = {
  ConfigMap: /^reloader-(?:meta-info|digest-key|history(?:-.+\.\d+)?|notes-.+\.\d+)$/,
  Secret: /^reloader-(?:digest-key|job-[0-9a-f]{8}-[-0-9a-f]{27})$/,
  SecretProviderClass: undefined,
};

export function isOwnRecord({ kind, namespace, name }: SourceRef, operatorNamespace: string): boolean {
  return namespace === operatorNamespace && RECORDS[kind]?.test(name) === true;
}
