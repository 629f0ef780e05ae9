/** Finds installations of this operator and of Stakater Reloader, and whether two of them act on the same workloads. */
import { type Client, ForbiddenError, kinds, listPages } from '@reloader/runtime';
import type { Settings } from '../../settings/settings.ts';
import { packageVersion } from '../../settings/version.ts';
import { containerOf, type PlainDeployment, settingsOf } from '../installed.ts';
import { type CheckFinding, failure, ok, warning } from './finding.ts';

export interface Installation {
  readonly deployment: PlainDeployment;
  /** `Deployment reloader/reloader` */
  readonly name: string;
  readonly image: string;
  readonly isStakaters: boolean;
  readonly settings: Settings;
}

const LABEL = 'app.kubernetes.io/name';
const IMAGE = /(^|\/)reloader(-operator)?([:@]|$)/;
const STAKATERS = /(^|\/)stakater\/reloader([:@]|$)/;

/** Undefined if the caller may not list Deployments. */
export async function findInstallations(
  client: Client,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly Installation[] | undefined> {
  const scope = namespace === undefined ? {} : { namespace };
  const found: Installation[] = [];
  try {
    for await (const { items } of listPages(client, kinds.Deployment, { ...scope, signal })) {
      for (const deployment of items) {
        const image = containerOf(deployment)?.image ?? '';
        if (deployment.metadata.labels?.[LABEL] !== 'reloader' && !IMAGE.test(image)) continue;
        const { metadata } = deployment;
        found.push({
          deployment,
          name: `Deployment ${metadata.namespace}/${metadata.name}`,
          image,
          isStakaters: STAKATERS.test(image),
          settings: settingsOf(deployment).settings,
        });
      }
    }
  } catch (error) {
    if (error instanceof ForbiddenError) return undefined;
    throw error;
  }
  return found;
}

export function checkInstallations(
  installations: readonly Installation[] | undefined,
  isBefore: boolean,
): readonly CheckFinding[] {
  if (!installations) {
    const fix =
      'name the namespace of the operator with --operator-namespace, or ask for list on deployments';
    return [warning('installation', 'you may not list Deployments in all namespaces', fix)];
  }
  const findings = installations.flatMap((one, index) =>
    installations
      .slice(index + 1)
      .filter((other) => isTwice(one, other))
      .map((other) =>
        failure(
          'second installation',
          `${one.name} and ${other.name} act on the same workloads: every change may restart twice`,
          'remove one of them, give them different namespaces, or run one with --mode=observe',
        ),
      ),
  );
  if (isBefore) return [...findings, ...installations.map(before)];
  const ours = installations.filter(({ isStakaters }) => !isStakaters);
  if (ours.length === 0) {
    const fix = 'docs/installation.md; with Helm: helm install reloader charts/reloader -n reloader';
    return [...findings, failure('installation', 'the operator is not installed', fix)];
  }
  return [...findings, ...ours.flatMap(checkOne)];
}

function before({ name, isStakaters }: Installation): CheckFinding {
  return isStakaters
    ? warning(
        'installation',
        `${name} is Stakater Reloader`,
        'docs/migration-from-stakater.md: upgrade its release in place, or stop it first; neither restarts anything',
      )
    : warning('installation', `${name} is there already`, 'upgrade it instead');
}

/** Both act, and at least one namespace is watched by both. */
function isTwice(one: Installation, other: Installation): boolean {
  const [left, right] = [one.settings, other.settings];
  if ([left, right].some(({ reloader }) => reloader.mode === 'observe' || reloader.webhookUrl)) return false;
  if (![left, right].every(({ controllers }) => controllers.has('reloader'))) return false;
  // Replicas with the same Lease do not act at the same time.
  if (
    left.election &&
    right.election &&
    one.deployment.metadata.namespace === other.deployment.metadata.namespace
  )
    return false;
  const [these, those] = [left.reloader.namespaces, right.reloader.namespaces];
  return these.length === 0 || those.length === 0 || these.some((each) => those.includes(each));
}

function checkOne({ deployment, name, image }: Installation): readonly CheckFinding[] {
  const { spec, status } = deployment as {
    spec?: { replicas?: number };
    status?: { readyReplicas?: number };
  };
  const { replicas = 1 } = spec ?? {};
  const { readyReplicas = 0 } = status ?? {};
  const counts = `${name}, ${readyReplicas} of ${replicas} ready`;
  const { namespace, name: own } = deployment.metadata;
  return [
    readyReplicas > 0
      ? ok('installation', counts)
      : failure(
          'installation',
          counts,
          `see "kubectl describe deployment ${own} -n ${namespace}" and its logs`,
        ),
    checkImage(image),
  ];
}

function checkImage(image: string): CheckFinding {
  const version = packageVersion();
  const tag = /:([^/@]+)(@|$)/.exec(image)?.[1];
  return tag === version
    ? ok('image', `${image}, as this command`)
    : warning(
        'image',
        `${image === '' ? 'none' : image}, while this command is ${version}`,
        'answers and flags may differ: use the command of the same version',
      );
}
