/**
 * Every sample as kubectl shows it, on a real control plane with the audit policy of the documentation. The output is
 * recorded: `npx vitest run --config vitest.cluster.config.ts test/samples -u` updates the recording.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Condition, KubernetesObject } from '@reloader/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poll } from '../control-plane/poll.ts';
import { useControlPlane } from '../control-plane/vitest.ts';
import { ROOT } from '../docs/blocks.ts';
import { workload } from '../reloader/objects.ts';
import { OURS, SAMPLES } from './corpus.ts';
import { plainDescription, plainTable } from './plain-output.ts';
import { ACCOUNT, operateOn } from './real-operator.ts';

const POLICY = `${ROOT}/config/audit/policy.yaml`;
const PATIENCE = { timeout: 60_000, every: 500 };

const cluster = useControlPlane({ workloads: true, apiServerFlags: [`--audit-policy-file=${POLICY}`] });
let stop: (() => Promise<void>) | undefined;

const kubectl = (args: readonly string[], input?: object): Promise<string> =>
  cluster().kubectl(args, input ? { input } : {});

beforeAll(async () => {
  stop = await operateOn(cluster());
}, 300_000);
afterAll(() => stop?.());

interface Told {
  readonly metadata: { readonly generation?: number };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

const placeOf = ({ metadata }: KubernetesObject): string[] => ['-n', metadata?.namespace ?? 'default'];
const nameOf = ({ kind = '', metadata }: KubernetesObject): string =>
  `${kind.toLowerCase()}/${metadata?.name}`;

const namespaces = new Set(['default']);

async function apply(object: KubernetesObject): Promise<void> {
  const namespace = object.metadata?.namespace ?? 'default';
  if (!namespaces.has(namespace)) await kubectl(['create', 'namespace', namespace]);
  namespaces.add(namespace);
  if (object.kind === 'Namespace') namespaces.add(object.metadata?.name ?? '');
  await kubectl(['apply', '--server-side', '--force-conflicts', '-n', namespace, '-f', '-'], object);
}

/** Waits until the status is of this generation and has not changed for a while. */
async function told(object: KubernetesObject): Promise<void> {
  let [before, since] = ['', 0];
  const isTold = async (): Promise<boolean> => {
    const text = await kubectl(['get', nameOf(object), ...placeOf(object), '-o', 'json']);
    const { metadata, status } = JSON.parse(text) as Told;
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    const now = JSON.stringify(status);
    if (now !== before) [before, since] = [now, performance.now()];
    return ready?.observedGeneration === metadata.generation && performance.now() - since > 2_000;
  };
  await poll(isTold, { what: `the status of ${nameOf(object)}`, ...PATIENCE });
}

/** Our kinds last, by name: of objects created within one second, the first by name counts as the oldest. */
function byName(a: KubernetesObject, b: KubernetesObject): number {
  const [first, second] = [a, b].map(({ kind = '', metadata }) =>
    OURS.includes(kind) ? `~${metadata?.name}` : '',
  );
  return (first ?? '') < (second ?? '') ? -1 : first === second ? 0 : 1;
}

const isRolledOut = ({ kind = '' }: KubernetesObject): boolean =>
  ['Deployment', 'StatefulSet'].includes(kind);

async function rolledOut(object: KubernetesObject): Promise<void> {
  await kubectl(['rollout', 'status', nameOf(object), ...placeOf(object), '--timeout=60s']);
}

/** The output of kubectl, as a table and in full. */
async function shown(object: KubernetesObject): Promise<string> {
  await told(object);
  const got = await kubectl(['get', nameOf(object), ...placeOf(object), '-o', 'wide']);
  const described = await kubectl(['describe', nameOf(object), ...placeOf(object)]);
  return `${plainTable(got)}\n\n${plainDescription(described)}`;
}

describe.each(SAMPLES)('%s', (name, objects) => {
  test('is shown by kubectl as it is recorded', async () => {
    const there = new Map<string, KubernetesObject>();
    for (const object of [...objects].sort(byName)) {
      await apply(object);
      there.set([...placeOf(object), nameOf(object)].join(' '), object);
    }
    const all = [...there.values()];
    await Promise.all(all.filter(isRolledOut).map(rolledOut));
    const parts = await Promise.all(all.filter(({ kind = '' }) => OURS.includes(kind)).map(shown));
    const items = all.filter(({ kind }) => kind !== 'Namespace');
    await kubectl(['delete', '-f', '-'], { apiVersion: 'v1', kind: 'List', items });
    const file = `recorded/kubectl/${name.replaceAll('/', '-')}.txt`;
    await expect(parts.join('\n---\n\n')).toMatchFileSnapshot(file);
  });
});

interface AuditLine {
  readonly level: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource?: string; readonly name?: string; readonly namespace?: string };
  readonly requestObject?: unknown;
}

describe('the audit policy of the documentation, in a real API server', () => {
  const VALUE = 'a-value-that-no-log-may-have';
  let lines: readonly AuditLine[];
  let text: string;
  const about = (resource: string, name: string) =>
    lines.filter(
      ({ objectRef: to }) => to?.resource === resource && to.name === name && to.namespace === 'audited',
    );

  beforeAll(async () => {
    const metadata = { namespace: 'audited', name: 'db' };
    const secret = (value: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      stringData: { password: value },
    });
    await apply(secret('first'));
    const options = { annotations: { auto: 'true' }, uses: [{ secret: 'db' }] };
    await apply(workload('Deployment', 'web', 'audited', options));
    await apply({
      apiVersion: 'reloader.stakater.com/v1alpha1',
      kind: 'ReloaderConfig',
      metadata: { namespace: 'audited', name: 'rules' },
      spec: { watchedResources: { secrets: ['db'] }, targets: [{ kind: 'Deployment', name: 'web' }] },
    } as KubernetesObject);
    await kubectl(['rollout', 'status', 'deployment/web', '-n', 'audited', '--timeout=60s']);
    await kubectl(['wait', '--for=condition=Ready', 'rlc/rules', '-n', 'audited', '--timeout=60s']);
    await apply(secret(VALUE));
    const counted = ['--for=jsonpath={.status.reloadCount}=1', 'rlc/rules', '-n', 'audited', '--timeout=60s'];
    await kubectl(['wait', ...counted]);
    text = await readFile(join(cluster().directory, 'audit.log'), 'utf8');
    lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditLine);
  });

  test('tells who changed the source, and nothing of its content', () => {
    const writes = about('secrets', 'db');
    expect(writes.map(({ verb, level }) => `${verb} ${level}`)).toEqual(['patch Metadata', 'patch Metadata']);
    expect(writes.every(({ requestObject }) => requestObject === undefined)).toBe(true);
    expect(text).not.toContain(VALUE);
    expect(text).not.toContain(Buffer.from(VALUE).toString('base64').slice(0, 30));
  });

  test('tells what the operator wrote to the workload, and who changed the rules', () => {
    const { namespace, name } = ACCOUNT;
    const own = `system:serviceaccount:${namespace}:${name}`;
    const writes = about('deployments', 'web').filter(({ user }) => user.username === own);
    expect(writes.map(({ verb, level }) => `${verb} ${level}`)).toEqual(['patch Request']);
    expect(JSON.stringify(writes[0]?.requestObject)).toContain('reloader.stakater.com~1ledger');
    const [rules] = about('reloaderconfigs', 'rules');
    expect(rules?.level).toBe('Request');
    expect(JSON.stringify(rules?.requestObject)).toContain('watchedResources');
  });

  test('keeps no reads', () => {
    expect(lines.filter(({ verb }) => ['get', 'list', 'watch'].includes(verb))).toEqual([]);
  });
});
