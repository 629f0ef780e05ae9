/** The programs of a control plane and their arguments; makes no decisions at run time. */

export type ComponentName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kwok'
  | 'rollouts-controller';

export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';

export interface ComponentPorts {
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly apiServer: number;
  readonly controllerManager: number;
  readonly scheduler: number;
  readonly kwok: number;
  readonly rollouts: number;
  readonly rolloutsMetrics: number;
}

export interface ComponentSettings {
  readonly ports: ComponentPorts;
  readonly files: ComponentFiles;
  readonly auditLevel: AuditLevel;
  readonly controllers: boolean;
  readonly apiServerFlags: readonly string[];
}

/** The files of a control plane's programs, all below its own directory. */
export interface ComponentFiles {
  readonly etcdData: string;
  readonly authorityCertificate: string;
  readonly authorityKey: string;
  readonly serverCertificate: string;
  readonly serverKey: string;
  readonly serviceAccountKey: string;
  readonly tokens: string;
  readonly auditPolicy: string;
  readonly auditLog: string;
  readonly stages: string;
  kubeconfig(user: string): string;
  log(component: ComponentName): string;
}

export const rolloutsNamespace = 'argo-rollouts';

/** An unused address (RFC 5737): the server must advertise one, and the host may only have loopback. */
const advertisedAddress = '192.0.2.1';

/** In megabytes: rotation would remove entries that a test counts. */
const neverRotate = 1_000_000;

/** The built-in client rate limits would be slower than the measured program. */
const clientLimits = ['--kube-api-qps=500', '--kube-api-burst=1000'];

export function componentArguments(component: ComponentName, settings: ComponentSettings): string[] {
  switch (component) {
    case 'etcd':
      return etcd(settings);
    case 'kube-apiserver':
      return apiServer(settings);
    case 'kube-controller-manager':
      return controllerManager(settings);
    case 'kube-scheduler':
      return scheduler(settings);
    case 'kwok':
      return kwok(settings);
    case 'rollouts-controller':
      return rolloutsController(settings);
  }
}

export interface HealthCheck {
  readonly url: string;
  readonly authority: 'own' | 'none';
}

/** Answers 200 once the component works. Only paths that the oldest tested versions serve, too. */
export function healthCheck(component: ComponentName, ports: ComponentPorts): HealthCheck {
  switch (component) {
    case 'etcd':
      return { url: `http://127.0.0.1:${ports.etcd}/health`, authority: 'none' };
    case 'kube-apiserver':
      return { url: `https://127.0.0.1:${ports.apiServer}/readyz`, authority: 'own' };
    case 'kube-controller-manager':
      return { url: `https://127.0.0.1:${ports.controllerManager}/healthz`, authority: 'own' };
    case 'kube-scheduler':
      return { url: `https://127.0.0.1:${ports.scheduler}/healthz`, authority: 'own' };
    case 'kwok':
      return { url: `http://127.0.0.1:${ports.kwok}/healthz`, authority: 'none' };
    case 'rollouts-controller':
      return { url: `http://127.0.0.1:${ports.rollouts}/healthz`, authority: 'none' };
  }
}

function etcd({ ports, files }: ComponentSettings): string[] {
  const client = `http://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  return [
    '--name=control-plane',
    `--data-dir=${files.etcdData}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=control-plane=${peer}`,
    // Data survives a kill of the process but not of the machine, which is enough for tests.
    '--unsafe-no-fsync',
    '--quota-backend-bytes=8589934592',
    '--log-level=error',
  ];
}

function apiServer({ ports, files, auditLevel, controllers, apiServerFlags }: ComponentSettings): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${ports.apiServer}`,
    `--advertise-address=${advertisedAddress}`,
    '--endpoint-reconciler-type=none',
    `--tls-cert-file=${files.serverCertificate}`,
    `--tls-private-key-file=${files.serverKey}`,
    `--client-ca-file=${files.authorityCertificate}`,
    `--token-auth-file=${files.tokens}`,
    `--service-account-key-file=${files.serviceAccountKey}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--authorization-mode=Node,RBAC',
    '--service-cluster-ip-range=10.0.0.0/16',
    '--allow-privileged=true',
    // Without the controller that creates each namespace's default account, no pod could be created.
    ...(controllers ? [] : ['--disable-admission-plugins=ServiceAccount']),
    ...(auditLevel === 'None'
      ? []
      : [
          `--audit-policy-file=${files.auditPolicy}`,
          `--audit-log-path=${files.auditLog}`,
          '--audit-log-mode=blocking',
          `--audit-log-maxsize=${neverRotate}`,
        ]),
    ...apiServerFlags,
  ];
}

function controllerManager({ ports, files }: ComponentSettings): string[] {
  return [
    `--kubeconfig=${files.kubeconfig('kube-controller-manager')}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${ports.controllerManager}`,
    `--tls-cert-file=${files.serverCertificate}`,
    `--tls-private-key-file=${files.serverKey}`,
    '--use-service-account-credentials',
    `--service-account-private-key-file=${files.serviceAccountKey}`,
    `--root-ca-file=${files.authorityCertificate}`,
    `--cluster-signing-cert-file=${files.authorityCertificate}`,
    `--cluster-signing-key-file=${files.authorityKey}`,
    '--leader-elect=false',
    ...clientLimits,
  ];
}

function scheduler({ ports, files }: ComponentSettings): string[] {
  return [
    `--kubeconfig=${files.kubeconfig('kube-scheduler')}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${ports.scheduler}`,
    `--tls-cert-file=${files.serverCertificate}`,
    `--tls-private-key-file=${files.serverKey}`,
    '--leader-elect=false',
    ...clientLimits,
  ];
}

function kwok({ ports, files }: ComponentSettings): string[] {
  return [
    `--kubeconfig=${files.kubeconfig('kwok')}`,
    '--manage-all-nodes=true',
    `--config=${files.stages}`,
    `--server-address=127.0.0.1:${ports.kwok}`,
    '--node-ip=10.127.0.1',
    '--cidr=10.128.0.0/9',
  ];
}

function rolloutsController({ ports, files }: ComponentSettings): string[] {
  return [
    `--kubeconfig=${files.kubeconfig('argo-rollouts')}`,
    `--namespace=${rolloutsNamespace}`,
    '--leader-elect=false',
    `--healthzPort=${ports.rollouts}`,
    `--metricsPort=${ports.rolloutsMetrics}`,
    '--qps=500',
    '--burst=1000',
  ];
}
