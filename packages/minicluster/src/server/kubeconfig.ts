/** Kubeconfig files for kubectl, Helm and client libraries. */
import { stringify } from 'yaml';

export interface KubeconfigOptions {
  readonly url: string;
  /** PEM; absent for plain HTTP. */
  readonly ca?: string | undefined;
  readonly token: string;
  readonly namespace?: string | undefined;
}

const NAME = 'minicluster';

export function kubeconfig({ url, ca, token, namespace = 'default' }: KubeconfigOptions): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': NAME,
    clusters: [
      {
        name: NAME,
        cluster: {
          server: url,
          ...(ca && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
        },
      },
    ],
    users: [{ name: NAME, user: { token } }],
    contexts: [{ name: NAME, context: { cluster: NAME, user: NAME, namespace } }],
  });
}
