/** The output of real Helm for our chart. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { controlPlaneBinary } from '../control-plane/build.ts';
import { type CommandResult, runCommand } from '../control-plane/command.ts';

export const CHART = fileURLToPath(new URL('../../charts/reloader', import.meta.url));

export type Values = Readonly<Record<string, unknown>>;

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly rules?: readonly Rule[];
  readonly data?: Readonly<Record<string, string>>;
}

export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

/** The result of `helm template` for a release `reloader` in namespace `reloader`, with any exit status. */
export async function tryTemplate(values: Values = {}): Promise<CommandResult> {
  const directory = await mkdtemp(join(tmpdir(), 'chart-values-'));
  try {
    const file = join(directory, 'values.json');
    await writeFile(file, JSON.stringify(values));
    return await runCommand(await controlPlaneBinary('helm'), [
      'template',
      'reloader',
      CHART,
      '--namespace=reloader',
      '--values',
      file,
    ]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export async function templateText(values: Values = {}): Promise<string> {
  const { status, stdout, stderr } = await tryTemplate(values);
  if (status !== 0) throw new Error(`helm template failed with ${JSON.stringify(values)}: ${stderr}`);
  return stdout;
}

export async function template(values: Values = {}): Promise<Manifest[]> {
  const documents = parseAllDocuments(await templateText(values));
  return documents.map((document) => document.toJS() as Manifest | null).filter((object) => object !== null);
}

/** The one manifest of a kind. */
export function only(manifests: readonly Manifest[], kind: string, name?: string): Manifest {
  const found = manifests.filter(
    (each) => each.kind === kind && (name ?? each.metadata.name) === each.metadata.name,
  );
  const [first, ...more] = found;
  if (!first || more.length > 0) throw new Error(`${found.length} of ${kind} ${name ?? ''}, not one`);
  return first;
}

export interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
}

export function containerOf(manifests: readonly Manifest[]): Container {
  const { spec } = only(manifests, 'Deployment');
  const [container] = (spec as { template: { spec: { containers: Container[] } } }).template.spec.containers;
  if (!container) throw new Error('the Deployment has no container');
  return container;
}

/** `{ a: { b: 1 } }` from `a.b` and 1. */
export function nested(path: string, value: unknown): Values {
  return path
    .split('.')
    .reverse()
    .reduce<unknown>((inner, key) => ({ [key]: inner }), value) as Values;
}

export function merged(one: Values, other: Values): Values {
  const result: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const old = result[key];
    result[key] = isMap(old) && isMap(value) ? merged(old, value) : value;
  }
  return result;
}

export function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
