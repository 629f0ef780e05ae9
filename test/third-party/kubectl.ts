/** Commands of users: the same commands on both servers, with the same expectations. */
import { expect, test } from 'vitest';

/** Resolves with standard output; rejects with standard error in the message. */
export type Tool = (args: readonly string[], input?: object | string) => Promise<string>;

const web = (image: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } },
  },
});
const image = ['-o', 'jsonpath={.spec.template.spec.containers[0].image}'];

export function kubectlSuite(kubectl: () => Tool): void {
  const run: Tool = (args, input) => kubectl()(args, input);
  let namespaces = 0;
  /** A namespace per test. */
  const inNamespace = (title: string, body: (run: Tool) => Promise<void>): void => {
    test(title, async () => {
      const namespace = `kubectl-${++namespaces}`;
      await run(['create', 'namespace', namespace]);
      // A pod is admitted only once its ServiceAccount exists.
      await run(['wait', '--for=create', 'serviceaccount/default', '-n', namespace, '--timeout=30s']);
      await body((args, input) => run([...args, '-n', namespace], input));
      await run(['delete', 'namespace', namespace, '--wait=false']);
    });
  };

  inNamespace('create, get and describe ConfigMaps and Secrets', async (k) => {
    await k(['create', 'configmap', 'settings', '--from-literal=mode=fast']);
    await k(['create', 'secret', 'generic', 'db', '--from-literal=password=swordfish']);
    expect(await k(['get', 'configmap', 'settings', '-o', 'jsonpath={.data.mode}'])).toBe('fast');
    expect(await k(['get', 'configmap', 'settings'])).toMatch(/^NAME\s+DATA\s+AGE\nsettings\s+1\s+\d+s\n$/);
    expect(await k(['describe', 'secret', 'db'])).toMatch(/password:\s+9 bytes/);
    expect(await k(['get', 'secret', 'db', '-o', 'yaml'])).toContain('password: c3dvcmRmaXNo');
    await expect(k(['get', 'configmap', 'absent'])).rejects.toThrow('configmaps "absent" not found');
    await expect(k(['create', 'configmap', 'settings'])).rejects.toThrow('already exists');
  });

  inNamespace('create other kinds in kubectl own words', async (k) => {
    await k(['create', 'deployment', 'made', '--image=registry.test/made:1', '--replicas=1', '--port=80']);
    await k(['create', 'job', 'once', '--image=registry.test/job:1']);
    await k(['create', 'cronjob', 'nightly', '--image=registry.test/job:1', '--schedule=0 3 * * *']);
    await k(['create', 'service', 'clusterip', 'made', '--tcp=80:80']);
    await k(['create', 'serviceaccount', 'robot']);
    await k(['create', 'role', 'reader', '--verb=get,list', '--resource=pods']);
    await k(['create', 'rolebinding', 'readers', '--role=reader', '--serviceaccount=default:robot']);
    await k(['create', 'ingress', 'made', '--rule=made.test/*=made:80']);
    await k(['create', 'poddisruptionbudget', 'made', '--selector=app=made', '--min-available=1']);
    await k(['create', 'quota', 'small', '--hard=pods=100']);
    expect(await k(['create', 'token', 'robot'])).toMatch(/^ey/);
    await k(['wait', '--for=condition=complete', 'job/once', '--timeout=60s']);
    await k(['rollout', 'status', 'deployment/made', '--timeout=60s']);
    const all = await k(['get', 'all', '-o', 'name']);
    expect(all).toContain('deployment.apps/made');
    expect(all).toContain('cronjob.batch/nightly');
  });

  inNamespace('apply, change and apply again', async (k) => {
    expect(await k(['apply', '-f', '-'], web('registry.test/web:1'))).toBe('deployment.apps/web created\n');
    expect(await k(['apply', '-f', '-'], web('registry.test/web:1'))).toBe('deployment.apps/web unchanged\n');
    expect(await k(['apply', '-f', '-'], web('registry.test/web:2'))).toBe(
      'deployment.apps/web configured\n',
    );
    expect(await k(['get', 'deployment', 'web', ...image])).toBe('registry.test/web:2');
    expect(await k(['diff', '-f', '-'], web('registry.test/web:2'))).toBe('');
  });

  inNamespace('apply --server-side, with a conflict and its force', async (k) => {
    const apply = ['apply', '--server-side', '-f', '-'];
    expect(await k(apply, web('registry.test/web:1'))).toBe('deployment.apps/web serverside-applied\n');
    await expect(k([...apply, '--field-manager=other'], web('registry.test/web:2'))).rejects.toThrow(
      'conflict',
    );
    await k([...apply, '--field-manager=other', '--force-conflicts'], web('registry.test/web:2'));
    expect(await k(['get', 'deployment', 'web', ...image])).toBe('registry.test/web:2');
  });

  inNamespace('validation of a manifest names the field', async (k) => {
    const wrong = { ...web('registry.test/web:1'), specs: {} };
    await expect(k(['apply', '-f', '-'], wrong)).rejects.toThrow('unknown field "specs"');
  });

  inNamespace('label, annotate, patch, set, scale', async (k) => {
    await k(['apply', '-f', '-'], web('registry.test/web:1'));
    await k(['label', 'deployment', 'web', 'tier=front']);
    await k(['annotate', 'deployment', 'web', 'note=yes']);
    await k(['patch', 'deployment', 'web', '-p', '{"spec":{"minReadySeconds":1}}']);
    await k([
      'patch',
      'deployment',
      'web',
      '--type=json',
      '-p',
      '[{"op":"replace","path":"/spec/replicas","value":3}]',
    ]);
    await k(['set', 'env', 'deployment/web', 'MODE=fast']);
    await k(['scale', 'deployment', 'web', '--replicas=1']);
    await k(['rollout', 'status', 'deployment/web', '--timeout=60s']);
    expect(
      await k([
        'get',
        'deployment',
        'web',
        '-o',
        'jsonpath={.metadata.labels.tier} {.spec.minReadySeconds} {.spec.replicas} {.status.availableReplicas}',
      ]),
    ).toBe('front 1 1 1');
    expect(await k(['get', 'deployments', '-l', 'tier=front', '-o', 'name'])).toBe('deployment.apps/web\n');
    expect(await k(['get', 'deployments', '-l', 'tier!=front', '-o', 'name'])).toBe('');
  });

  inNamespace('rollout status, history, restart, undo, pause', async (k) => {
    await k(['apply', '-f', '-'], web('registry.test/web:1'));
    expect(await k(['rollout', 'status', 'deployment/web', '--timeout=60s'])).toContain(
      'successfully rolled out',
    );
    await k(['set', 'image', 'deployment/web', 'main=registry.test/web:2']);
    await k(['rollout', 'status', 'deployment/web', '--timeout=60s']);
    await k(['rollout', 'undo', 'deployment/web']);
    await k(['rollout', 'status', 'deployment/web', '--timeout=60s']);
    expect(await k(['get', 'deployment', 'web', ...image])).toBe('registry.test/web:1');
    expect(await k(['rollout', 'history', 'deployment/web'])).toMatch(/2 .*\n3 /);
    const before = await k(['get', 'pods', '-o', 'name']);
    await k(['rollout', 'restart', 'deployment/web']);
    await k(['rollout', 'status', 'deployment/web', '--timeout=60s']);
    await k(['wait', '--for=delete', ...before.trim().split('\n'), '--timeout=60s']);
    await k(['rollout', 'pause', 'deployment/web']);
    await k(['rollout', 'resume', 'deployment/web']);
  });

  inNamespace('StatefulSets and DaemonSets roll out and back', async (k) => {
    for (const kind of ['StatefulSet', 'DaemonSet']) {
      const name = kind.toLowerCase();
      const manifest = (version: number): object => ({
        apiVersion: 'apps/v1',
        kind,
        metadata: { name },
        spec: {
          ...(kind === 'StatefulSet' && { replicas: 2, serviceName: name }),
          selector: { matchLabels: { app: name } },
          template: {
            metadata: { labels: { app: name } },
            spec: { containers: [{ name: 'main', image: `registry.test/app:${version}` }] },
          },
        },
      });
      await k(['apply', '-f', '-'], manifest(1));
      await k(['rollout', 'status', `${name}/${name}`, '--timeout=60s']);
      await k(['apply', '-f', '-'], manifest(2));
      await k(['rollout', 'status', `${name}/${name}`, '--timeout=60s']);
      await k(['rollout', 'undo', `${name}/${name}`]);
      await k(['rollout', 'status', `${name}/${name}`, '--timeout=60s']);
      expect(await k(['get', name, name, ...image])).toBe('registry.test/app:1');
    }
  });

  inNamespace('wait, events and describe of a workload', async (k) => {
    await k(['apply', '-f', '-'], web('registry.test/web:1'));
    await k(['wait', '--for=condition=Available', 'deployment/web', '--timeout=60s']);
    await k(['wait', '--for=jsonpath={.status.readyReplicas}=2', 'deployment/web', '--timeout=60s']);
    expect(await k(['describe', 'deployment', 'web'])).toMatch(
      /Replicas:\s+2 desired \| 2 updated \| 2 total \| 2 available/,
    );
    expect(await k(['get', 'pods', '-o', 'wide'])).toMatch(/web-\S+\s+1\/1\s+Running\s+0/);
    const [pod = ''] = (await k(['get', 'pods', '-o', 'name'])).split('\n');
    expect(await k(['describe', pod])).toMatch(/Status:\s+Running/);
    await k(['get', 'events', '--sort-by=.lastTimestamp']);
  });

  inNamespace('delete, by name, by label, with and without waiting', async (k) => {
    await k(['apply', '-f', '-'], web('registry.test/web:1'));
    await k(['rollout', 'status', 'deployment/web', '--timeout=60s']);
    await k(['delete', 'deployment', 'web', '--timeout=60s']);
    await k(['wait', '--for=delete', 'pods', '-l', 'app=web', '--timeout=60s']);
    await k(['create', 'configmap', 'a']);
    await k(['label', 'configmap', 'a', 'gone=soon']);
    expect(await k(['delete', 'configmaps', '-l', 'gone=soon'])).toContain('configmap "a" deleted');
    await k(['apply', '-f', '-'], web('registry.test/web:1'));
    await k(['delete', 'deployment', 'web', '--cascade=foreground', '--timeout=60s']);
  });

  inNamespace('auth can-i, also as somebody else', async (k) => {
    expect(await k(['auth', 'can-i', 'patch', 'deployments'])).toBe('yes\n');
    await k(['create', 'serviceaccount', 'robot']);
    const as = '--as=system:serviceaccount:default:robot';
    await expect(k(['auth', 'can-i', 'list', 'secrets', as])).rejects.toThrow();
    await k(['create', 'role', 'reader', '--verb=list', '--resource=secrets']);
    await k(['create', 'rolebinding', 'reader', '--role=reader', '--user=eve']);
    expect(await k(['auth', 'can-i', 'list', 'secrets', '--as=eve'])).toBe('yes\n');
    expect(await k(['get', 'secrets', '--as=eve', '-o', 'name'])).toBe('');
    await expect(k(['get', 'configmaps', '--as=eve'])).rejects.toThrow(
      'User "eve" cannot list resource "configmaps"',
    );
    expect(await k(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.groups}'])).toContain(
      'system:masters',
    );
  });

  test('api-resources, api-versions, explain, version', async () => {
    const resources = await run(['api-resources']);
    expect(resources).toMatch(/deployments\s+deploy\s+apps\/v1\s+true\s+Deployment/);
    expect(resources).toMatch(/configmaps\s+cm\s+v1\s+true\s+ConfigMap/);
    expect(await run(['api-versions'])).toContain('batch/v1');
    expect(await run(['explain', 'deployment.spec.replicas'])).toMatch(/FIELD: replicas <integer>/);
    expect(await run(['explain', 'pod.spec.containers'])).toMatch(/FIELD: containers <\[\]Container>/);
    expect(await run(['version'])).toMatch(/Server Version: v1\.\d+/);
  });

  inNamespace('a custom resource from its definition to its columns', async (k) => {
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gadgets.third.party' },
      spec: {
        group: 'third.party',
        scope: 'Namespaced',
        names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', shortNames: ['gg'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } },
                },
              },
            },
          },
        ],
      },
    };
    await k(['apply', '-f', '-'], crd);
    await k(['wait', '--for=condition=Established', 'crd/gadgets.third.party', '--timeout=30s']);
    const gadget = (size: number): object => ({
      apiVersion: 'third.party/v1',
      kind: 'Gadget',
      metadata: { name: 'one' },
      spec: { size },
    });
    await k(['apply', '-f', '-'], gadget(3));
    expect(await k(['get', 'gg'])).toMatch(/^NAME\s+SIZE\none\s+3\n$/);
    await expect(k(['apply', '-f', '-'], gadget(0))).rejects.toThrow(
      'spec.size in body should be greater than or equal to 1',
    );
    expect(await k(['explain', 'gadget.spec.size'])).toMatch(/FIELD: size <integer>/);
    await k(['delete', 'crd', 'gadgets.third.party']);
  });
}
