/** The documents exchanged with a credential plugin (`client.authentication.k8s.io`). */
import { isRecord } from '../decode/json.ts';
import { ConfigError } from '../errors.ts';
import type { AuthHeaders, ClientCertificate } from './credentials.ts';
import { bearer } from './credentials.ts';

export type InteractiveMode = 'Never' | 'IfAvailable' | 'Always';

export interface ExecSpec {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly interactiveMode: InteractiveMode;
  readonly installHint?: string;
  /** Cluster information for the plugin, with `provideClusterInfo`. */
  readonly cluster?: object;
  /** The owner of the credentials, for messages: `user "dev" of /home/me/.kube/config`. */
  readonly owner: string;
}

export interface ExecResult {
  readonly headers: AuthHeaders;
  readonly certificate?: ClientCertificate;
  /** Milliseconds since the epoch; absent if the plugin gives no expiry. */
  readonly expiresAt?: number;
}

/** The value of KUBERNETES_EXEC_INFO. */
export function execInfo(spec: ExecSpec, interactive: boolean): string {
  return JSON.stringify({
    kind: 'ExecCredential',
    apiVersion: spec.apiVersion,
    spec: { interactive, ...(spec.cluster && { cluster: spec.cluster }) },
  });
}

export function parseExecResult(text: string, spec: ExecSpec): ExecResult {
  const bad = (why: string): ConfigError =>
    new ConfigError(
      `The credential plugin ${spec.command} of ${spec.owner} ${why}: run it by hand to see what it prints`,
    );
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    // No cause and no quote: the output may contain a token.
    throw bad('did not print JSON');
  }
  if (!isRecord(document) || document.kind !== 'ExecCredential') throw bad('printed no ExecCredential');
  if (document.apiVersion !== spec.apiVersion) {
    throw bad(`answered with apiVersion ${document.apiVersion} although ${spec.apiVersion} is configured`);
  }
  const { status } = document;
  if (!isRecord(status)) throw bad('printed an ExecCredential without a status');
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
  if (Boolean(cert) !== Boolean(key)) throw bad('gave a client certificate without its key, or the reverse');
  if (!token && !cert) throw bad('gave neither a token nor a client certificate');
  const expiresAt = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : undefined;
  if (Number.isNaN(expiresAt)) throw bad(`gave an expirationTimestamp that is no time`);
  return {
    headers: typeof token === 'string' && token ? bearer(token) : {},
    ...(typeof cert === 'string' && typeof key === 'string' && cert && { certificate: { cert, key } }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}
