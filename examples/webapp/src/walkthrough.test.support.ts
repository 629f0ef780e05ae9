/** A user's walkthrough of the WebApp operator, for any cluster: the in-process one and the real one. */
import { readFile } from 'node:fs/promises';
import {
  type Client,
  findCondition,
  getIfExists,
  kinds,
  NotFoundError,
  type ResourceType,
  retryOnConflict,
  type Stored,
} from '@reloader/runtime';
import { expect, test } from 'vitest';
import { CHILDREN, type ComponentName, type Draft } from './children.ts';
import { type WebApp, WebApps } from './webapp.ts';

export interface Stage {
  /** An administrator's client. */
  readonly client: Client;
  readonly namespace: string;
  /** Waits until the check passes. */
  eventually(check: () => Promise<void>): Promise<void>;
  /** Long enough for everything to settle. */
  rest(): Promise<void>;
  /** Writes of the operator since the last call, without Events. */
  writes(): Promise<number>;
}

export class World {
  readonly stage: Stage;
  readonly name: string;

  constructor(stage: Stage, name: string) {
    this.stage = stage;
    this.name = name;
  }

  get key() {
    return { namespace: this.stage.namespace, name: this.name };
  }

  async apply(spec: Partial<WebApp['spec']> = {}): Promise<void> {
    await this.stage.client.create(WebApps, {
      metadata: { ...this.key },
      spec: { image: 'nginx:1', ...spec },
    });
  }

  async change(change: (spec: WebApp['spec']) => void): Promise<void> {
    await retryOnConflict(async () => {
      const app = await this.app();
      change(app.spec);
      await this.stage.client.update(WebApps, app);
    });
  }

  app(): Promise<Stored<WebApp>> {
    return this.stage.client.get(WebApps, this.key);
  }

  child(name: ComponentName): Promise<Stored<Draft> | undefined> {
    return getIfExists(this.stage.client, typeOf(name), this.key);
  }

  /** `ConfigMap, Deployment`: the existing children. */
  async children(): Promise<string> {
    const found = await Promise.all(
      CHILDREN.map(async ({ name }) => ((await this.child(name)) ? name : undefined)),
    );
    return found.filter(Boolean).join(', ');
  }

  async condition(type: string): Promise<string> {
    const { status } = await this.app();
    const condition = findCondition(status?.conditions, type);
    return condition ? `${condition.status} ${condition.reason}` : 'none';
  }

  async expectReady(): Promise<void> {
    await this.stage.eventually(async () => {
      const { status, metadata } = await this.app();
      expect(status?.phase).toBe('Ready');
      expect(status?.observedGeneration).toBe(metadata.generation);
    });
  }

  /** `Normal ReconcileSuccess x1`: how often each was recorded, whatever its message, oldest first. */
  async events(): Promise<string[]> {
    const { items } = await this.stage.client.list(kinds.CoreEvent, { namespace: this.stage.namespace });
    const ours = (items as unknown as CoreEvent[])
      .filter((event) => event.involvedObject.kind === 'WebApp' && event.involvedObject.name === this.name)
      .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
    const told = new Map<string, number>();
    for (const { type, reason, count } of ours) {
      const key = `${type} ${reason}`;
      told.set(key, (told.get(key) ?? 0) + count);
    }
    return [...told].map(([key, count]) => `${key} x${count}`);
  }
}

interface CoreEvent {
  readonly metadata: { readonly resourceVersion: string };
  readonly involvedObject: { readonly kind: string; readonly name: string };
  readonly type: string;
  readonly reason: string;
  readonly count: number;
}

/** As `kubectl apply -f crd.yaml` would. */
export async function installCrd(client: Client): Promise<void> {
  await client.raw({
    method: 'POST',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    headers: { 'content-type': 'application/yaml' },
    body: await readFile(new URL('../crd.yaml', import.meta.url)),
  });
}

function typeOf(name: ComponentName): ResourceType<Draft> {
  const child = CHILDREN.find((candidate) => candidate.name === name);
  if (!child) throw new Error(`No child is called ${name}`);
  return child.type;
}

export function walkThrough(stage: () => Stage): void {
  test('a WebApp becomes a ConfigMap, a Deployment, a Service and an Ingress, and then Ready', async () => {
    const world = new World(stage(), 'first');
    await world.apply({ config: { COLOUR: 'blue' }, host: 'first.example.com', port: 3000 });
    await world.expectReady();
    expect(await world.children()).toBe('ConfigMap, Deployment, Service, Ingress');
    const { metadata, status } = await world.app();
    expect(metadata.finalizers).toEqual(['example.com/webapp-cleanup']);
    for (const { name } of CHILDREN) {
      const child = await world.child(name);
      expect(child?.metadata.ownerReferences).toMatchObject([
        { kind: 'WebApp', name: 'first', controller: true },
      ]);
    }
    expect((await world.child('ConfigMap'))?.data).toEqual({ COLOUR: 'blue' });
    expect((await world.child('Service'))?.spec).toMatchObject({ ports: [{ port: 80, targetPort: 3000 }] });
    expect(status?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`)).toEqual([
      'Ready=True ReconcileSuccess',
      'ConfigMapReady=True Managed',
      'DeploymentReady=True Managed',
      'ServiceReady=True Managed',
      'IngressReady=True Managed',
      'Progressing=False ReconcileSuccess',
      'Degraded=False ReconcileSuccess',
    ]);
  });

  test('once everything is as specified, nothing more is written', async () => {
    const world = new World(stage(), 'quiet');
    await world.apply();
    await world.expectReady();
    await stage().rest();
    await stage().writes();
    const told = await world.events();
    await stage().rest();
    expect(await stage().writes()).toBe(0);
    expect(await world.events()).toEqual(told);
  });

  test('a new image is rolled out; Events tell of changes of Ready and of nothing else', async () => {
    const world = new World(stage(), 'rolled');
    await world.apply({ replicas: 2 });
    await world.expectReady();
    await world.change((spec) => {
      spec.image = 'nginx:2';
      spec.config = { COLOUR: 'red' };
    });
    await world.expectReady();
    const deployment = await world.child('Deployment');
    expect(deployment?.spec).toMatchObject({ template: { spec: { containers: [{ image: 'nginx:2' }] } } });
    await stage().eventually(async () => {
      const events = await world.events();
      expect(events).toContain('Normal ReconcileSuccess x2');
      // Where pods start faster than we check, the first rollout is over before we see it.
      expect(events.filter((event) => !/^Normal Reconciling x[12]$/.test(event))).toHaveLength(1);
    });
  });

  test('a new configuration alone gives new pods', async () => {
    const world = new World(stage(), 'configured');
    const template = async () => JSON.stringify((await world.child('Deployment'))?.spec?.template);
    await world.apply({ config: { COLOUR: 'blue' } });
    await world.expectReady();
    const before = await template();
    await world.change((spec) => {
      spec.config = { COLOUR: 'red' };
    });
    await world.expectReady();
    expect(await template()).not.toBe(before);
    expect((await world.child('ConfigMap'))?.data).toEqual({ COLOUR: 'red' });
  });

  test('a deleted or changed child is restored', async () => {
    const world = new World(stage(), 'drifted');
    await world.apply({ config: { COLOUR: 'blue' } });
    await world.expectReady();
    const { client } = stage();
    await client.delete(kinds.Service, world.key);
    const body = { data: { COLOUR: 'red', EXTRA: 'x' } };
    await client.patch(kinds.ConfigMap, world.key, { type: 'merge', body });
    await stage().eventually(async () => {
      expect(await world.child('Service')).toBeDefined();
      expect((await world.child('ConfigMap'))?.data).toEqual({ COLOUR: 'blue' });
    });
  });

  test('a child can be removed, left alone and managed again', async () => {
    const world = new World(stage(), 'states');
    await world.apply();
    await world.expectReady();
    await world.change((spec) => {
      spec.managementStates = { Ingress: 'Removed', Service: 'Unmanaged' };
    });
    await stage().eventually(async () => {
      expect(await world.children()).toBe('ConfigMap, Deployment, Service');
      expect(await world.condition('IngressReady')).toBe('False Removed');
      expect(await world.condition('ServiceReady')).toBe('Unknown Unmanaged');
    });
    await stage().client.delete(kinds.Service, world.key);
    await stage().rest();
    expect(await world.child('Service')).toBeUndefined();
    await world.change((spec) => {
      spec.managementStates = {};
    });
    await stage().eventually(async () => {
      expect(await world.children()).toBe('ConfigMap, Deployment, Service, Ingress');
    });
  });

  test('an object of another owner is not touched, not even to remove it, and the status says so', async () => {
    const world = new World(stage(), 'taken');
    const { client } = stage();
    await client.create(kinds.ConfigMap, { metadata: { ...world.key }, data: { mine: 'yes' } });
    await world.apply({ managementStates: { ConfigMap: 'Removed' } });
    await world.expectReady();
    await world.change((spec) => {
      spec.managementStates = {};
    });
    await stage().eventually(async () =>
      expect(await world.condition('Degraded')).toBe('True ConfigMapFailed'),
    );
    const { status } = await world.app();
    expect(findCondition(status?.conditions, 'Degraded')?.message).toContain('exists and nobody controls it');
    expect((await world.child('ConfigMap'))?.data).toEqual({ mine: 'yes' });
  });

  test('a missing Secret stops the steps before the Service, and is reported although the pass fails', async () => {
    const world = new World(stage(), 'secretive');
    await world.apply({ secretName: 'secretive-env' });
    await stage().eventually(async () => {
      expect(await world.condition('Degraded')).toBe('True DeploymentFailed');
      expect((await world.app()).status?.phase).toBe('Progressing');
      expect(await world.events()).toEqual(['Warning DeploymentFailed x1']);
    });
    expect(await world.children()).toBe('ConfigMap');
    const secret = { namespace: stage().namespace, name: 'secretive-env' };
    await stage().client.create(kinds.Secret, { metadata: secret });
    await world.change((spec) => {
      spec.replicas = 2;
    });
    await world.expectReady();
  });

  test('a deleted WebApp is cleaned up from the Ingress down to the ConfigMap, and then goes', async () => {
    const world = new World(stage(), 'deleted');
    await world.apply();
    await world.expectReady();
    const { client } = stage();
    await client.delete(WebApps, world.key);
    await stage().eventually(async () => {
      await expect(world.app()).rejects.toBeInstanceOf(NotFoundError);
    });
    expect(await world.children()).toBe('');
  });
}
