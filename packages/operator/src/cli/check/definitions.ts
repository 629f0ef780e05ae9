/** Checks the custom resource definitions: that they exist, are served, and match this version. */
import { type Client, ForbiddenError, kinds, NotFoundError } from '@reloader/runtime';
import { podConfigMapConfigCrd } from '../../crds/pod-config-map-config.ts';
import { reloaderConfigCrd } from '../../crds/reloader-config.ts';
import type { ControllerName } from '../../settings/settings.ts';
import { type CheckFinding, failure, ok, warning } from './finding.ts';

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema?: object }[];
  };
}

const OURS: Readonly<Record<ControllerName, Definition>> = {
  reloader: reloaderConfigCrd as unknown as Definition,
  podconfig: podConfigMapConfigCrd as unknown as Definition,
};
const APPLY = 'run "reloader crds | kubectl apply --server-side -f -", or upgrade the release';

export async function checkDefinitions(
  client: Client,
  controllers: ReadonlySet<ControllerName>,
  signal: AbortSignal,
): Promise<readonly CheckFinding[]> {
  return Promise.all([...controllers].map((name) => checkDefinition(client, OURS[name], signal)));
}

async function checkDefinition(client: Client, ours: Definition, signal: AbortSignal): Promise<CheckFinding> {
  const check = `definition ${ours.spec.names.kind}`;
  const { name } = ours.metadata;
  try {
    const found = await client.get(kinds.CustomResourceDefinition, { name }, { signal });
    return judged(check, found as unknown as Definition & Established, ours);
  } catch (error) {
    if (error instanceof NotFoundError) {
      return ours === OURS.reloader
        ? failure(check, `${name} is not installed: only annotations work`, APPLY)
        : warning(check, `${name} is not installed: no ConfigMaps are made from pods`, APPLY);
    }
    if (error instanceof ForbiddenError)
      return warning(check, 'you may not read definitions', 'ask for get on customresourcedefinitions');
    throw error;
  }
}

interface Established {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

function judged(check: string, found: Definition & Established, ours: Definition): CheckFinding {
  const { name } = ours.metadata;
  const conditions = found.status?.conditions ?? [];
  if (!conditions.some(({ type, status }) => type === 'Established' && status === 'True'))
    return failure(check, `${name} is not served yet`, `see "kubectl describe crd ${name}"`);
  const mine = ours.spec.versions[0];
  const theirs = found.spec.versions.find((version) => version.name === mine?.name);
  if (!theirs) return failure(check, `${name} has no version ${mine?.name}`, APPLY);
  return canonical(theirs.schema) === canonical(mine?.schema)
    ? ok(check, `${mine?.name}, as in this version`)
    : warning(check, `${name} is that of another version: some fields are unknown to one side`, APPLY);
}

/** Independent of the order of fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
