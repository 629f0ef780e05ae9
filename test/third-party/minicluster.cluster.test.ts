/** Third-party programs on minicluster. They come from the control plane's build, hence a cluster test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Minicluster, startMinicluster } from '@reloader/minicluster';
import { afterAll, beforeAll, describe } from 'vitest';
import { controlPlaneBinary } from '../control-plane/build.ts';
import { outputOf } from '../control-plane/command.ts';
import { helmSuite } from './helm.ts';
import { kubectlSuite, type Tool } from './kubectl.ts';

let cluster: Minicluster;
let directory: string;
const tools: Partial<Record<'kubectl' | 'helm', Tool>> = {};

async function tool(name: 'kubectl' | 'helm'): Promise<Tool> {
  const binary = await controlPlaneBinary(name);
  const env = { ...process.env, KUBECONFIG: join(directory, 'kubeconfig'), HOME: directory };
  return (args, input) =>
    outputOf(binary, [...args], {
      env,
      ...(input !== undefined && { input: typeof input === 'string' ? input : JSON.stringify(input) }),
    });
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'third-party-'));
  cluster = await startMinicluster({ listen: {} });
  await cluster.writeKubeconfig(join(directory, 'kubeconfig'));
  tools.kubectl = await tool('kubectl');
  tools.helm = await tool('helm');
});

afterAll(async () => {
  await cluster.stop();
  await rm(directory, { recursive: true, force: true });
});

const get = (name: 'kubectl' | 'helm'): Tool => tools[name] as Tool;

describe('kubectl on minicluster', () => kubectlSuite(() => get('kubectl')));
describe('Helm on minicluster', () =>
  helmSuite(
    () => get('helm'),
    () => get('kubectl'),
  ));
