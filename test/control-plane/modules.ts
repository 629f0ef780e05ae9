import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';

/** The artifacts of a control plane, by name. */
export type ArtifactName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubectl'
  | 'kwok'
  | 'helm'
  | 'rollouts-controller'
  | 'argo-rollouts-crds';

/** Minor versions of Kubernetes that are built from a module of their own, the oldest supported one first. */
export const olderKubernetes = ['1.30', '1.33'] as const;

export type ModuleName =
  | 'kubernetes'
  | `kubernetes-${(typeof olderKubernetes)[number]}`
  | 'helm'
  | 'argo-rollouts';

/** One `go build`. Without `as`, Go names each binary after its package. */
export interface BuildStep {
  readonly packages: readonly string[];
  readonly as?: ArtifactName;
}

/** A directory of a required Go module that is copied next to the binaries. */
export interface CopyStep {
  readonly module: string;
  readonly directory: string;
  readonly files: RegExp;
  readonly as: ArtifactName;
}

export interface ModuleDefinition {
  readonly name: ModuleName;
  readonly artifacts: readonly ArtifactName[];
  readonly steps: readonly BuildStep[];
  readonly copies: readonly CopyStep[];
  /** Linker variables that make a binary report the version it was built from. */
  stamps(goMod: string): Readonly<Record<string, string>>;
}

export const minimumGo = { major: 1, minor: 26 } as const;

export const modules: Readonly<Record<ModuleName, ModuleDefinition>> = {
  kubernetes: {
    name: 'kubernetes',
    artifacts: ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'kwok'],
    steps: [
      {
        packages: [
          'k8s.io/kubernetes/cmd/kube-apiserver',
          'k8s.io/kubernetes/cmd/kube-controller-manager',
          'k8s.io/kubernetes/cmd/kube-scheduler',
          'k8s.io/kubernetes/cmd/kubectl',
          'sigs.k8s.io/kwok/cmd/kwok',
        ],
      },
      { packages: ['go.etcd.io/etcd/server/v3'], as: 'etcd' },
    ],
    copies: [],
    stamps: kubernetesStamps,
  },
  'kubernetes-1.30': olderModule('1.30'),
  'kubernetes-1.33': olderModule('1.33'),
  helm: {
    name: 'helm',
    artifacts: ['helm'],
    steps: [{ packages: ['helm.sh/helm/v3/cmd/helm'] }],
    copies: [],
    stamps(goMod) {
      // Unstamped, `helm template` and `helm lint` assume a Kubernetes far older than any chart supports.
      const minor = requiredVersion(goMod, 'k8s.io/client-go').split('.')[1] ?? '';
      return {
        'helm.sh/helm/v3/internal/version.version': requiredVersion(goMod, 'helm.sh/helm/v3'),
        'helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor': '1',
        'helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor': minor,
        'helm.sh/helm/v3/pkg/lint/rules.k8sVersionMajor': '1',
        'helm.sh/helm/v3/pkg/lint/rules.k8sVersionMinor': minor,
      };
    },
  },
  'argo-rollouts': {
    name: 'argo-rollouts',
    artifacts: ['rollouts-controller', 'argo-rollouts-crds'],
    steps: [{ packages: ['github.com/argoproj/argo-rollouts/cmd/rollouts-controller'] }],
    copies: [
      {
        module: 'github.com/argoproj/argo-rollouts',
        directory: 'manifests/crds',
        files: /-crd\.yaml$/,
        as: 'argo-rollouts-crds',
      },
    ],
    stamps(goMod) {
      return {
        'github.com/argoproj/argo-rollouts/utils/version.version': requiredVersion(
          goMod,
          'github.com/argoproj/argo-rollouts',
        ),
      };
    },
  },
};

/**
 * The parts that belong to one version of Kubernetes, with the etcd that it was released with. KWOK, kubectl and Helm are
 * clients, and come from the newest version's modules always.
 */
function olderModule(minor: (typeof olderKubernetes)[number]): ModuleDefinition {
  return {
    name: `kubernetes-${minor}`,
    artifacts: ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
    steps: [
      {
        packages: [
          'k8s.io/kubernetes/cmd/kube-apiserver',
          'k8s.io/kubernetes/cmd/kube-controller-manager',
          'k8s.io/kubernetes/cmd/kube-scheduler',
        ],
      },
      { packages: ['go.etcd.io/etcd/server/v3'], as: 'etcd' },
    ],
    copies: [],
    stamps: kubernetesStamps,
  };
}

function kubernetesStamps(goMod: string): Readonly<Record<string, string>> {
  const gitVersion = requiredVersion(goMod, 'k8s.io/kubernetes');
  const [gitMajor = '', gitMinor = ''] = gitVersion.replace(/^v/, '').split('.');
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  const values = { gitVersion, gitMajor, gitMinor };
  return Object.fromEntries(
    packages.flatMap((path) => Object.entries(values).map(([key, value]) => [`${path}.${key}`, value])),
  );
}

/** The module of Kubernetes that the environment chooses; the newest without a choice. */
export function kubernetesModule(env: NodeJS.ProcessEnv): ModuleName {
  const chosen = env.RELOADER_TEST_KUBERNETES ?? '';
  if (chosen === '') return 'kubernetes';
  const older = olderKubernetes.find((minor) => minor === chosen);
  if (older === undefined) {
    throw new Error(
      `RELOADER_TEST_KUBERNETES is ${chosen}: use ${olderKubernetes.join(' or ')}, or unset it for the newest`,
    );
  }
  return `kubernetes-${older}`;
}

/** Which module builds an artifact, for the version of Kubernetes that `env` chooses. */
export function moduleOf(artifact: ArtifactName, env: NodeJS.ProcessEnv = {}): ModuleDefinition {
  const chosen = modules[kubernetesModule(env)];
  for (const module of [chosen, ...Object.values(modules)]) {
    if (module.artifacts.includes(artifact)) return module;
  }
  throw new Error(`no module builds ${artifact}`);
}

export function moduleDirectory(name: ModuleName): string {
  return fileURLToPath(new URL(`./modules/${name}`, import.meta.url));
}

/** The version that a go.mod requires of a module path. */
export function requiredVersion(goMod: string, path: string): string {
  for (const line of goMod.split('\n')) {
    const [first, second, third] = line.trim().split(/\s+/);
    if (first === path && second?.startsWith('v')) return second;
    if (first === 'require' && second === path && third !== undefined) return third;
  }
  throw new Error(`go.mod requires no version of ${path}: add it and run \`go mod tidy\``);
}

/** Flags of every `go build`: no paths of this machine, no change of go.mod, no debug information. */
export function buildFlags(module: ModuleDefinition, goMod: string): string[] {
  const stamps = Object.entries(module.stamps(goMod)).map(([name, value]) => `-X ${name}=${value}`);
  return ['-trimpath', '-mod=readonly', '-ldflags', ['-s', '-w', ...stamps].join(' ')];
}

export interface CacheKeyInput {
  readonly module: ModuleDefinition;
  readonly goMod: string;
  readonly goSum: string;
  readonly platform: string;
  readonly arch: string;
}

/** Names a cache entry after everything that determines its content, so that an entry never needs to be replaced. */
export function cacheKey({ module, goMod, goSum, platform, arch }: CacheKeyInput): string {
  const copies = module.copies.map((copy) => ({ ...copy, files: copy.files.source }));
  const inputs = [goMod, goSum, module.steps, copies, buildFlags(module, goMod), platform, arch];
  const hash = createHash('sha256').update(JSON.stringify(inputs)).digest('hex');
  return `${module.name}-${hash.slice(0, 16)}`;
}
