import { describe, expect, it } from 'vitest';
import { podFacts } from '../model/pod-facts.ts';
import { containerFor, containerUsing, keysUsed } from './container.ts';

const source = { kind: 'Secret', name: 'db' } as const;
const volume = (name: string, secretName = 'db') => ({ name, secret: { secretName } });
const mount = (name: string) => ({ volumeMounts: [{ name }] });
const reads = { env: [{ valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }] };

describe('the container that carries the mark', () => {
  it.each([
    [
      'mounts the volume',
      { volumes: [volume('v')], containers: [{ name: 'a' }, { name: 'b', ...mount('v') }] },
      'b',
    ],
    ['reads a key into its environment', { containers: [{ name: 'a' }, { name: 'b', ...reads }] }, 'b'],
    [
      'takes the whole source into its environment',
      { containers: [{ name: 'a' }, { name: 'b', envFrom: [{ secretRef: { name: 'db' } }] }] },
      'b',
    ],
    [
      'mounts it, before another that only reads it',
      {
        volumes: [volume('v')],
        containers: [
          { name: 'a', ...reads },
          { name: 'b', ...mount('v') },
        ],
      },
      'b',
    ],
    [
      'comes first, where an init container mounts it, before another that reads it',
      {
        volumes: [volume('v')],
        containers: [{ name: 'a' }, { name: 'b', ...reads }],
        initContainers: [{ name: 'i', ...mount('v') }],
      },
      'a',
    ],
    [
      'comes first, where only an init container reads it',
      { containers: [{ name: 'a' }, { name: 'b' }], initContainers: [{ name: 'i', ...reads }] },
      'a',
    ],
    [
      'mounts a projected volume',
      {
        volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 'db' } }] } }],
        containers: [{ name: 'a' }, { name: 'b', ...mount('v') }],
      },
      'b',
    ],
    [
      'does not exist, where the volume is mounted nowhere',
      { volumes: [volume('v')], containers: [{ name: 'a' }] },
      undefined,
    ],
    [
      'does not exist, where only a second volume of it is mounted',
      { volumes: [volume('v1'), volume('v2')], containers: [{ name: 'a', ...mount('v2') }] },
      undefined,
    ],
    [
      'does not exist, where another source of that name is meant',
      { containers: [{ name: 'a', envFrom: [{ configMapRef: { name: 'db' } }] }] },
      undefined,
    ],
    ['does not exist without containers', { volumes: [volume('v')] }, undefined],
  ])('%s', (_, spec, expected) => {
    expect(containerUsing(podFacts(spec), source)).toBe(expected);
  });

  it('is the first for a source that is named and not used', () => {
    const pod = podFacts({ containers: [{ name: 'a' }, { name: 'b' }] });
    expect(containerFor(pod, source, false)).toBe('a');
    expect(containerFor(pod, source, true)).toBeUndefined();
  });

  it('mounts a SecretProviderClass by its CSI volume', () => {
    const pod = podFacts({
      volumes: [{ name: 'v', csi: { volumeAttributes: { secretProviderClass: 'vault' } } }],
      containers: [{ name: 'a' }, { name: 'b', ...mount('v') }],
    });
    expect(containerUsing(pod, { kind: 'SecretProviderClass', name: 'vault' })).toBe('b');
  });
});

describe('the keys that a pod can see', () => {
  it('are those of its variables and volume items together', () => {
    const pod = podFacts({
      volumes: [{ name: 'v', secret: { secretName: 'db', items: [{ key: 'tls' }] } }],
      containers: [{ name: 'a', ...reads }],
    });
    expect(keysUsed(pod, source)).toEqual(['password', 'tls']);
  });

  it('are all as soon as one use takes all', () => {
    const pod = podFacts({ volumes: [volume('v')], containers: [{ name: 'a', ...reads }] });
    expect(keysUsed(pod, source)).toBeUndefined();
  });

  it('are none where it is not used', () => {
    expect(keysUsed(podFacts({ containers: [{ name: 'a' }] }), source)).toEqual([]);
  });
});
