/** Values that must not leak: searched in everything that the operator writes, answers and keeps. */
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds, type ResourceType } from '@reloader/runtime';
import { expect, onTestFinished } from 'vitest';
import type { ContentCheck } from '../../../packages/operator/src/crds/reloader-config/object.ts';
import { ReloaderConfigs } from '../../../packages/operator/src/crds/reloader-config.ts';
import { poll } from '../../control-plane/poll.ts';
import { workload } from '../../reloader/objects.ts';
import type { Attack, Ground } from '../harness.ts';
import type { Victim } from '../victim.ts';

/** Long enough not to occur by chance; one for each way in. */
const planted = (what: string, round: number): string => `planted-${what}-${round}-7b1f0c9e5a3d`;
const WAYS = ['data', 'annotation', 'tls', 'large', 'checked'] as const;
const ROUNDS = 3;
const PATIENCE_MS = 30_000;
const HEAP_PATIENCE_MS = 120_000;

export function plantedSecrets(): Attack {
  let directory = '';
  const env: Record<string, string> = {};
  return {
    title: 'planted secrets, searched in every output and in the heap',
    flags: ['--log-level=trace'],
    env,
    async prepare(ground) {
      directory = await mkdtemp(join(tmpdir(), 'planted-'));
      onTestFinished(() => rm(directory, { recursive: true, force: true }));
      env.NODE_OPTIONS = `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${directory}`;
      const namespace = await ground.namespace('vault');
      await ground.client.create(kinds.Secret, secretOf(namespace, 0));
      const options = { annotations: { auto: 'true' }, uses: [{ secret: 'planted' }] };
      await ground.client.create(kinds.Deployment, workload('Deployment', 'vault', namespace, options));
      await ground.client.create(ReloaderConfigs, {
        metadata: { namespace, name: 'vault' },
        spec: {
          watchedResources: { secrets: ['planted'] },
          targets: [{ kind: 'Deployment', name: 'vault' }],
        },
      });
      await ground.client.create(kinds.Secret, {
        metadata: { namespace, name: 'checked' },
        stringData: { a: '{}' },
      });
      const checked = { uses: [{ secret: 'checked' }] };
      await ground.client.create(kinds.Deployment, workload('Deployment', 'checked', namespace, checked));
      await ground.client.create(ReloaderConfigs, {
        metadata: { namespace, name: 'checked' },
        spec: {
          watchedResources: { secrets: ['checked'] },
          targets: [{ kind: 'Deployment', name: 'checked' }],
          validate: CHECKS,
        },
      });
    },
    async strike(ground, victim) {
      for (let round = 1; round <= ROUNDS; round += 1) {
        const before = await reloadsOf(victim);
        const { data, stringData, metadata } = secretOf(ground.nameOf('vault'), round);
        const key = { namespace: ground.nameOf('vault'), name: 'planted' };
        const body = { data, stringData, metadata: { annotations: metadata.annotations } };
        await ground.client.patch(kinds.Secret, key, { type: 'merge', body });
        await poll(async () => (await reloadsOf(victim)) > before, {
          what: `reload ${round} of the vault`,
          timeout: PATIENCE_MS,
        });
      }
      // Content that violates its rules is read and parsed, and no message about it may contain it.
      for (const [index, content] of brokenContents().entries()) {
        const key = { namespace: ground.nameOf('vault'), name: 'checked' };
        const body = { stringData: { a: content } };
        await ground.client.patch(kinds.Secret, key, { type: 'merge', body });
        await poll(async () => heldIn(victim) > index, {
          what: `hold ${index + 1} of what is checked`,
          timeout: PATIENCE_MS,
        });
      }
    },
    async judge(ground, victim) {
      const outputs = await outputsOf(ground, victim);
      for (const [where, text] of outputs) expect(leaksIn(text), where).toEqual([]);
      // The snapshot is as large as the heap, and the process stops while it is written.
      const heap = await heapOf(victim, directory);
      // The search works: it finds the name of the Secret, and nothing of its content.
      expect(heap, 'the heap').toContain(`"${ground.nameOf('vault')}"`);
      expect(leaksIn(heap), 'the heap').toEqual([]);
    },
  };
}

const CHECKS: ContentCheck[] = [
  { key: 'a', format: 'yaml' },
  {
    key: 'a',
    format: 'json',
    rule: 'int(self.a) > 1 && self[self.a] == self.a',
    schema: { properties: { a: { type: 'integer', enum: [1] } }, additionalProperties: false },
  },
  { key: 'a', format: 'properties' },
  { key: 'a', format: 'pem' },
];

/** Invalid YAML, invalid JSON, and JSON that matches neither schema nor rule. */
function brokenContents(): string[] {
  return [
    `a: *${planted('checked', 1)}\n`,
    `{"a": "${planted('checked', 2)}", "a": ${planted('checked', 2)}`,
    JSON.stringify({ a: planted('checked', 3), [planted('checked', 3)]: 1 }),
  ];
}

function heldIn(victim: Victim): number {
  const log = victim.log().split('\n');
  return log.filter((line) => line.includes('Holding back a reload') && line.includes('Secret')).length;
}

function secretOf(namespace: string, round: number) {
  const [data, annotation, tls, large] = WAYS.map((way) => planted(way, round));
  return {
    metadata: {
      namespace,
      name: 'planted',
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': `{"stringData":{"a":"${annotation}"}}`,
      },
    },
    data: { plain: Buffer.from(data ?? '').toString('base64') },
    stringData: { 'tls.key': `-----BEGIN PRIVATE KEY-----\n${tls}\n`, large: (large ?? '').repeat(2_000) },
  };
}

/** As plain text, and in base64. */
function leaksIn(text: string): string[] {
  const found: string[] = [];
  for (const way of WAYS) {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const value = planted(way, round);
      const encoded = Buffer.from(value).toString('base64').replace(/=+$/, '');
      // At any offset in a longer text: base64 encodes three bytes at a time.
      const shifted = [1, 2].map((by) => Buffer.from(value.slice(by)).toString('base64').slice(0, 40));
      for (const form of [value, encoded.slice(0, 40), ...shifted]) if (text.includes(form)) found.push(form);
    }
  }
  return found;
}

async function reloadsOf(victim: Victim): Promise<number> {
  const log = victim.log().split('\n');
  return log.filter((line) => line.includes('Successfully triggered reload') && line.includes('vault'))
    .length;
}

async function outputsOf(ground: Ground, victim: Victim): Promise<Map<string, string>> {
  const { client, nameOf } = ground;
  const namespace = nameOf('vault');
  const outputs = new Map([
    ['the log', victim.log()],
    ['metrics', await victim.metrics()],
  ]);
  const base = `http://127.0.0.1:${victim.port}/api/v1`;
  for (const path of [
    'status',
    'overview',
    'workloads',
    'history',
    'sources',
    'timeline',
    `sources/Secret/${namespace}/planted`,
    `sources/Secret/${namespace}/checked`,
    `workloads/Deployment/${namespace}/checked`,
    `what-if?kind=secret&ns=${namespace}&name=checked`,
    `workloads/Deployment/${namespace}/vault`,
    `what-if?kind=secret&ns=${namespace}&name=planted`,
  ]) {
    const answer = await fetch(`${base}/${path}`);
    expect(answer.status, path).toBe(200);
    outputs.set(path, await answer.text());
  }
  const types: readonly ResourceType[] = [
    kinds.Deployment,
    kinds.ReplicaSet,
    kinds.Pod,
    kinds.ConfigMap,
    kinds.Event,
    ReloaderConfigs,
  ];
  for (const type of types) {
    for (const each of [namespace, nameOf('reloader')]) {
      const { items } = await client.list(type, { namespace: each });
      outputs.set(`${type.kind} in ${each}`, JSON.stringify(items));
    }
  }
  return outputs;
}

async function heapOf({ pid }: Victim, directory: string): Promise<string> {
  process.kill(pid, 'SIGUSR2');
  const written = async (): Promise<string | undefined> => {
    const [name] = (await readdir(directory)).filter((each) => each.endsWith('.heapsnapshot'));
    if (name === undefined) return undefined;
    const file = join(directory, name);
    return /\]\s*}\s*$/.test(await endOf(file)) ? file : undefined;
  };
  const options = { what: 'the heap snapshot', timeout: HEAP_PATIENCE_MS, every: 200 };
  await poll(async () => (await written()) !== undefined, options);
  return readFile((await written()) ?? '', 'utf8');
}

/** The last bytes of the snapshot. It is as large as the heap, so it is not read whole while it grows. */
async function endOf(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, Math.max(0, size - 16));
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
