/**
 * Starts a real Kubernetes control plane on this machine, without containers.
 *
 * In: the wanted parts. Out: a ControlPlane that is ready to use. Each has its own ports, directory and certificate
 * authority, so any number run side by side.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from './api.ts';
import { controlPlaneBinary } from './build.ts';
import { Component, ComponentEndedError } from './component.ts';
import {
  type AuditLevel,
  type ComponentName,
  type ComponentPorts,
  componentArguments,
  healthCheck,
} from './components.ts';
import { ControlPlane } from './control-plane.ts';
import { layoutOf, writeLayout } from './layout.ts';
import { removeDirectoryAtEnd } from './lifeline.ts';
import { freePorts } from './ports.ts';
import { installRollouts, waitForDefaultNamespace, waitForNode } from './prepare.ts';

export interface ControlPlaneOptions {
  /** Everything that workloads need: the controllers, the scheduler and KWOK. */
  readonly workloads?: boolean;
  /** kube-controller-manager and kube-scheduler. */
  readonly controllers?: boolean;
  /** KWOK, which simulates the kubelet of one node. */
  readonly kwok?: boolean;
  /** Argo Rollouts' resources and controller, with all of `workloads`. */
  readonly argoRollouts?: boolean;
  /** `Metadata` by default; `Request` adds the bodies of requests. */
  readonly auditLevel?: AuditLevel;
  /** Additional flags, which override those set here. */
  readonly apiServerFlags?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly log?: (line: string) => void;
  readonly signal?: AbortSignal;
}

const portAttempts = 3;

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const names = componentsFor(options);
  const env = options.env ?? process.env;
  const build = {
    env,
    ...(options.log && { log: options.log }),
    ...(options.signal && { signal: options.signal }),
  };
  const binaries = new Map<ComponentName, string>();
  for (const name of names) binaries.set(name, await controlPlaneBinary(name, build));
  // Requested now, so that no test waits for a build within its own timeout.
  await controlPlaneBinary('kubectl', build);
  const crds =
    options.argoRollouts === true ? await controlPlaneBinary('argo-rollouts-crds', build) : undefined;

  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(binaries, crds, { ...options, env });
    } catch (error) {
      const portLost = error instanceof ComponentEndedError && error.addressInUse;
      if (!portLost || attempt === portAttempts) throw error;
    }
  }
}

export function componentsFor(options: ControlPlaneOptions): ComponentName[] {
  const everything = options.workloads === true || options.argoRollouts === true;
  return [
    'etcd',
    'kube-apiserver',
    ...(everything || options.controllers === true
      ? (['kube-controller-manager', 'kube-scheduler'] as const)
      : []),
    ...(everything || options.kwok === true ? (['kwok'] as const) : []),
    ...(options.argoRollouts === true ? (['rollouts-controller'] as const) : []),
  ];
}

async function startOnce(
  binaries: ReadonlyMap<ComponentName, string>,
  crds: string | undefined,
  options: ControlPlaneOptions & { readonly env: NodeJS.ProcessEnv },
): Promise<ControlPlane> {
  const { auditLevel = 'Metadata', apiServerFlags = [], env, signal } = options;
  const directory = join(tmpdir(), `reloader-control-plane-${randomUUID().slice(0, 8)}`);
  // Installed before the directory exists, so that it can never be left behind.
  const releaseDirectory = removeDirectoryAtEnd(directory);
  await mkdir(directory, { mode: 0o700 });
  const ports = await choosePorts();
  const server = `https://127.0.0.1:${ports.apiServer}`;
  const layout = layoutOf(directory);
  const components = new Map<ComponentName, Component>();
  try {
    const { authority, adminToken } = await writeLayout(layout, server, auditLevel);
    const controllers = binaries.has('kube-controller-manager');
    const settings = { ports, files: layout, auditLevel, controllers, apiServerFlags };
    for (const [name, binary] of binaries) {
      const args = componentArguments(name, settings);
      const health = healthCheck(name, ports);
      const logFile = layout.log(name);
      components.set(
        name,
        new Component({ name, binary, args, health, logFile, authority: authority.certificate }),
      );
    }
    const api = new Api({ server, authority: authority.certificate, token: adminToken });
    const parts = {
      layout,
      server,
      api,
      authority,
      adminToken,
      auditLevel,
      components,
      env,
      releaseDirectory,
    };
    const controlPlane = new ControlPlane(parts);
    await bringUp(controlPlane, components, crds, signal);
    return controlPlane;
  } catch (error) {
    await Promise.all([...components.values()].map((component) => component.kill('SIGKILL')));
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    await releaseDirectory();
    throw error;
  }
}

/** In order of dependency; the rest concurrently. */
async function bringUp(
  controlPlane: ControlPlane,
  components: ReadonlyMap<ComponentName, Component>,
  crds: string | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const bring = async (wanted: readonly ComponentName[]) => {
    const present = wanted.flatMap((name) => components.get(name) ?? []);
    for (const component of present) component.start();
    await Promise.all(present.map((component) => component.waitUntilHealthy(signal)));
  };
  await bring(['etcd', 'kube-apiserver']);
  await bring(['kube-controller-manager', 'kube-scheduler', 'kwok']);
  const has = (name: ComponentName) => components.has(name);
  await waitForDefaultNamespace(controlPlane.api, has('kube-controller-manager'), signal);
  if (has('kwok')) await waitForNode(controlPlane.api, has('kube-controller-manager'), signal);
  if (crds !== undefined) {
    await installRollouts(controlPlane, crds, signal);
    await bring(['rollouts-controller']);
  }
}

async function choosePorts(): Promise<ComponentPorts> {
  const [etcd, etcdPeer, apiServer, controllerManager, scheduler, kwok, rollouts, rolloutsMetrics] =
    (await freePorts(8)) as [number, number, number, number, number, number, number, number];
  return { etcd, etcdPeer, apiServer, controllerManager, scheduler, kwok, rollouts, rolloutsMetrics };
}
