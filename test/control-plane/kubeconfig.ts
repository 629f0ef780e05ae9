/** Kubeconfig files for one server: each holds one user and verifies the server's certificate. */

export type Credentials =
  | { readonly token: string }
  | { readonly tokenFile: string }
  | { readonly certificate: string; readonly key: string };

export interface KubeconfigOptions {
  readonly server: string;
  /** PEM certificate of the authority that signed the server's. */
  readonly authority: string;
  readonly credentials: Credentials;
  readonly namespace?: string;
}

/** The file's text. It is JSON, which every reader of kubeconfig files accepts as YAML. */
export function kubeconfigText({ server, authority, credentials, namespace }: KubeconfigOptions): string {
  const name = 'control-plane';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(authority) } }],
    users: [{ name, user: userEntry(credentials) }],
    contexts: [
      { name, context: { cluster: name, user: name, ...(namespace === undefined ? {} : { namespace }) } },
    ],
    'current-context': name,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

function userEntry(credentials: Credentials): Record<string, string> {
  if ('token' in credentials) return { token: credentials.token };
  if ('tokenFile' in credentials) return { tokenFile: credentials.tokenFile };
  return {
    'client-certificate-data': base64(credentials.certificate),
    'client-key-data': base64(credentials.key),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
