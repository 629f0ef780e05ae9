/** The directory of one control plane: its files, and those that its programs read at start. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { auditPolicyText } from './audit.ts';
import { type CertificateAuthority, createAuthority } from './certificates.ts';
import type { AuditLevel, ComponentFiles } from './components.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { stagesText } from './stages.ts';

export interface Layout extends ComponentFiles {
  readonly directory: string;
  /** Caches of kubectl and helm for this server. */
  readonly home: string;
}

export interface Identity {
  readonly authority: CertificateAuthority;
  readonly adminToken: string;
}

/** The users of the programs; `admin` may do everything, as may those without a role of their own. */
const users: Readonly<Record<string, { readonly user: string; readonly group?: string }>> = {
  admin: { user: 'admin', group: 'system:masters' },
  'kube-controller-manager': { user: 'system:kube-controller-manager' },
  'kube-scheduler': { user: 'system:kube-scheduler' },
  kwok: { user: 'kwok', group: 'system:masters' },
  'argo-rollouts': { user: 'argo-rollouts', group: 'system:masters' },
};

export function layoutOf(directory: string): Layout {
  const at = (name: string) => join(directory, name);
  return {
    directory,
    home: at('home'),
    etcdData: at('etcd'),
    authorityCertificate: at('ca.crt'),
    authorityKey: at('ca.key'),
    serverCertificate: at('server.crt'),
    serverKey: at('server.key'),
    serviceAccountKey: at('service-account.key'),
    tokens: at('tokens.csv'),
    auditPolicy: at('audit-policy.json'),
    auditLog: at('audit.log'),
    stages: at('kwok-stages.yaml'),
    kubeconfig: (user) => at(`${user}.kubeconfig`),
    log: (component) => at(`${component}.log`),
  };
}

/** Names and addresses of the API server, from outside and (as far as certificates go) from pods. */
const serverNames = [
  '127.0.0.1',
  'localhost',
  '10.0.0.1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

export async function writeLayout(layout: Layout, server: string, auditLevel: AuditLevel): Promise<Identity> {
  const authority = createAuthority('control-plane');
  const serving = authority.issueServer(serverNames);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const tokens = new Map(Object.keys(users).map((name) => [name, randomBytes(16).toString('hex')]));

  await mkdir(layout.home, { recursive: true });
  await writePrivate(layout.authorityCertificate, authority.certificate);
  await writePrivate(layout.authorityKey, authority.key);
  await writePrivate(layout.serverCertificate, serving.certificate);
  await writePrivate(layout.serverKey, serving.key);
  await writePrivate(layout.serviceAccountKey, privateKey.export({ type: 'sec1', format: 'pem' }).toString());
  await writePrivate(layout.auditPolicy, auditPolicyText(auditLevel));
  await writePrivate(layout.stages, stagesText());
  await writePrivate(layout.tokens, tokensText(tokens));
  for (const [name, token] of tokens) {
    const text = kubeconfigText({ server, authority: authority.certificate, credentials: { token } });
    await writePrivate(layout.kubeconfig(name), text);
  }
  return { authority, adminToken: tokens.get('admin') ?? '' };
}

/** Only the owner may read it, as kubectl and helm expect of a kubeconfig. */
export async function writePrivate(path: string, content: string): Promise<void> {
  await writeFile(path, content, { mode: 0o600 });
}

function tokensText(tokens: ReadonlyMap<string, string>): string {
  return [...tokens]
    .map(([name, token]) => {
      const { user = name, group = '' } = users[name] ?? {};
      return `${token},${user},${name},"${group}"\n`;
    })
    .join('');
}
