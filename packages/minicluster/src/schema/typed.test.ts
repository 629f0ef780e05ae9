import { describe, expect, it } from 'vitest';
import { StatusError } from '../model/status.ts';
import { readTyped, unknownFieldWarnings } from './typed.ts';

const DEPLOYMENT = { group: 'apps', version: 'v1', kind: 'Deployment' };
const SECRET = { group: '', version: 'v1', kind: 'Secret' };
const CONFIG_MAP = { group: '', version: 'v1', kind: 'ConfigMap' };

const spec = (fields: object) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec: fields,
});
const pod = (fields: object) => spec({ template: { spec: fields } });
const container = (fields: object) => pod({ containers: [{ name: 'c', ...fields }] });

function refusal(body: unknown, gvk: typeof DEPLOYMENT): string {
  try {
    readTyped(body, gvk);
  } catch (error) {
    expect(error).toBeInstanceOf(StatusError);
    expect((error as StatusError).body).toMatchObject({ code: 400, reason: 'BadRequest' });
    return (error as StatusError).message;
  }
  throw new Error('the body was accepted');
}

/** The expected messages are those of a real API server (Kubernetes 1.36.3). */
describe('a body of the wrong type', () => {
  const field = (got: string, place: string, type: string) =>
    `json: cannot unmarshal ${got} into Go struct field ${place} of type ${type}`;

  it.each<[object, string]>([
    [spec({ replicas: 'x' }), field('string', 'DeploymentSpec.spec.replicas', 'int32')],
    [spec({ replicas: 1.5 }), field('number 1.5', 'DeploymentSpec.spec.replicas', 'int32')],
    [spec({ replicas: 3e9 }), field('number 3000000000', 'DeploymentSpec.spec.replicas', 'int32')],
    [spec({ replicas: {} }), field('object', 'DeploymentSpec.spec.replicas', 'int32')],
    [spec({ replicas: [1] }), field('array', 'DeploymentSpec.spec.replicas', 'int32')],
    [spec({ replicas: true }), field('bool', 'DeploymentSpec.spec.replicas', 'int32')],
    [{ spec: 'x' }, field('string', 'Deployment.spec', 'v1.DeploymentSpec')],
    [{ spec: [] }, field('array', 'Deployment.spec', 'v1.DeploymentSpec')],
    [{ metadata: { name: 5 } }, field('number', 'ObjectMeta.metadata.name', 'string')],
    [{ metadata: { labels: { a: 5 } } }, field('number', 'ObjectMeta.metadata.labels', 'string')],
    [{ metadata: { labels: 'x' } }, field('string', 'ObjectMeta.metadata.labels', 'map[string]string')],
    [{ metadata: 'x' }, field('string', 'Deployment.metadata', 'v1.ObjectMeta')],
    [{ metadata: { finalizers: 'x' } }, field('string', 'ObjectMeta.metadata.finalizers', '[]string')],
    [{ metadata: { finalizers: [1] } }, field('number', 'ObjectMeta.metadata.finalizers', 'string')],
    [pod({ containers: 'x' }), field('string', 'PodSpec.spec.template.spec.containers', '[]v1.Container')],
    [pod({ containers: ['x'] }), field('string', 'PodSpec.spec.template.spec.containers', 'v1.Container')],
    [container({ name: 3 }), field('number', 'Container.spec.template.spec.containers.name', 'string')],
    [
      container({ ports: [{ containerPort: 80, protocol: 6 }] }),
      field('number', 'ContainerPort.spec.template.spec.containers.ports.protocol', 'v1.Protocol'),
    ],
    [
      container({ resources: { limits: [] } }),
      field(
        'array',
        'ResourceRequirements.spec.template.spec.containers.resources.limits',
        'v1.ResourceList',
      ),
    ],
    [
      spec({ strategy: { rollingUpdate: { maxSurge: true } } }),
      field('bool', 'RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge', 'int32'),
    ],
    [
      pod({ volumes: [{ name: 'v', secret: { defaultMode: 'x' } }] }),
      field(
        'string',
        'SecretVolumeSource.spec.template.spec.volumes.VolumeSource.secret.defaultMode',
        'int32',
      ),
    ],
    [
      pod({ volumes: [{ name: 'v', secret: 'x' }] }),
      field('string', 'Volume.spec.template.spec.volumes.VolumeSource.secret', 'v1.SecretVolumeSource'),
    ],
    [
      container({ resources: { limits: { cpu: 'abc' } } }),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      spec({ template: { metadata: { creationTimestamp: 5 } } }),
      field('number', 'ObjectMeta.spec.template.metadata.creationTimestamp', 'string'),
    ],
  ])('%j', (body, why) => {
    expect(refusal(body, DEPLOYMENT)).toBe(
      `Deployment in version "v1" cannot be handled as a Deployment: ${why}`,
    );
  });

  it.each<[object, string]>([
    [{ data: { a: '!!!' } }, 'illegal base64 data at input byte 0'],
    [{ data: { a: 'YQ' } }, 'illegal base64 data at input byte 0'],
    [{ data: { a: 5 } }, field('number', 'Secret.data', '[]uint8')],
    [{ data: 'x' }, field('string', 'Secret.data', 'map[string][]uint8')],
  ])('%j of a Secret', (body, why) => {
    expect(refusal(body, SECRET)).toBe(`Secret in version "v1" cannot be handled as a Secret: ${why}`);
  });

  it('names the first fault in the order of the body', () => {
    expect(refusal({ data: 'x', immutable: 'y' }, CONFIG_MAP)).toContain('ConfigMap.data');
    expect(refusal({ immutable: 'y', data: 'x' }, CONFIG_MAP)).toContain('ConfigMap.immutable');
  });

  it('is refused however deep it is nested', () => {
    let schema: object = { type: 'string' };
    for (let i = 0; i < 5000; i++) schema = { not: schema };
    const crd = { spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }] } };
    const gvk = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
    expect(refusal(crd, gvk)).toContain('exceeded max depth');
  });
});

describe('what a typed body becomes', () => {
  const of = (body: object) => readTyped(body, DEPLOYMENT).object;

  it('loses nulls and empty values that Go leaves out', () => {
    const body = { metadata: { name: 'a', labels: {}, annotations: null, finalizers: [] } };
    expect(of(body).metadata).toEqual({ name: 'a' });
  });

  it('keeps an empty list of owners, which asks for a reset', () => {
    expect(of({ metadata: { name: 'a', managedFields: [] } }).metadata).toEqual({
      name: 'a',
      managedFields: [],
    });
  });

  it('keeps zeros behind pointers, and empty structs', () => {
    const { spec: read } = of(spec({ replicas: 0, strategy: {}, paused: false })) as { spec: object };
    expect(read).toMatchObject({ replicas: 0, strategy: {} });
    expect(read).not.toHaveProperty('paused');
  });

  it('has canonical quantities and times', () => {
    const body = container({
      resources: { limits: { cpu: 1, memory: '1024Mi' }, requests: { cpu: '1000m' } },
    });
    expect(JSON.stringify(of(body))).toContain('"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"1"}');
  });

  it('does not contain unknown fields, which are reported in the order of the body', () => {
    const body = {
      metadata: { name: 'a', zip: 1 },
      spec: {
        foo: 1,
        template: {
          spec: {
            containers: [
              { name: 'c', bar: {} },
              { name: 'd', Image: 1 },
            ],
            baz: 1,
          },
        },
      },
    };
    const { object, unknown } = readTyped(body, DEPLOYMENT);
    expect(unknown).toEqual([
      'metadata.zip',
      'spec.foo',
      'spec.template.spec.containers[0].bar',
      'spec.template.spec.containers[1].Image',
      'spec.template.spec.baz',
    ]);
    expect(JSON.stringify(object)).not.toMatch(/zip|foo|bar|Image|baz/);
  });

  it('leaves the body as it was', () => {
    const body = spec({
      replicas: null,
      foo: { bar: 1 },
      template: { spec: { containers: [{ name: 'c', x: 1 }] } },
    });
    const before = structuredClone(body);
    readTyped(body, DEPLOYMENT);
    expect(body).toEqual(before);
  });

  it('takes `__proto__` for a key like any other', () => {
    const body = JSON.parse('{"metadata":{"labels":{"__proto__":"x"},"__proto__":{"name":"y"}}}') as object;
    const { object, unknown } = readTyped(body, CONFIG_MAP);
    expect(unknown).toEqual(['metadata.__proto__']);
    expect(JSON.stringify(object)).toBe('{"metadata":{"labels":{"__proto__":"x"}}}');
    expect(({} as Record<string, unknown>).name).toBeUndefined();
  });

  it('is the body itself for a kind that is not built in', () => {
    const body = { spec: { any: 1 } };
    expect(readTyped(body, { group: 'example.org', version: 'v1', kind: 'Widget' })).toEqual({
      object: body,
      unknown: [],
    });
  });
});

it('unknown fields are warned of', () => {
  expect(unknownFieldWarnings(['spec.foo'])).toEqual(['unknown field "spec.foo"']);
});
