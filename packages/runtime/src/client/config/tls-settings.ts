/** The TLS part of a kubeconfig: each PEM either as base64 in place or as a file. Data wins over a file. */

import type { Clock } from '../../clock/clock.ts';
import type { Credentials } from '../auth/credentials.ts';
import { FileContent } from '../auth/file-content.ts';
import { createTlsSource, type Pem, type TlsSource } from '../auth/tls.ts';
import { type Entry, pathFrom } from './kubeconfig.ts';

export function tlsFrom(
  cluster: Entry,
  user: Entry | undefined,
  credentials: Credentials,
  clock: Clock,
): TlsSource {
  const ca = pemFrom(cluster, 'certificate-authority', 'CA file', clock);
  const insecure = cluster.fields.boolean('insecure-skip-tls-verify');
  if (insecure && ca !== undefined) {
    throw cluster.fields.wrong(
      'insecure-skip-tls-verify',
      'cannot be true together with a certificate-authority: remove one of the two',
    );
  }
  const cert = user && pemFrom(user, 'client-certificate', 'client certificate', clock);
  const key = user && pemFrom(user, 'client-key', 'client key', clock);
  if (user && (cert === undefined) !== (key === undefined)) {
    throw user.fields.wrong(
      cert === undefined ? 'client-certificate' : 'client-key',
      'is missing: a client certificate and its key belong together',
    );
  }
  const serverName = cluster.fields.string('tls-server-name');
  return createTlsSource({
    insecure,
    credentials,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(serverName !== undefined && { serverName }),
  });
}

export function pemFrom(entry: Entry, name: string, what: string, clock: Clock): Pem | undefined {
  const data = entry.fields.string(`${name}-data`);
  if (data !== undefined) {
    const pem = Buffer.from(data, 'base64').toString('utf8');
    if (!pem.includes('-----BEGIN ')) {
      throw entry.fields.wrong(
        `${name}-data`,
        'must be a PEM text in base64: copy it again from where it came',
      );
    }
    return pem;
  }
  const path = entry.fields.string(name);
  return path === undefined ? undefined : new FileContent(pathFrom(entry, path), what, clock);
}
