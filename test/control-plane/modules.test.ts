import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  buildFlags,
  type CacheKeyInput,
  cacheKey,
  moduleDirectory,
  moduleOf,
  modules,
  olderKubernetes,
  requiredVersion,
} from './modules.ts';

const goMod =
  'module m\n\nrequire (\n\tk8s.io/kubernetes v1.36.3\n)\n\nreplace (\n\tk8s.io/api => k8s.io/api v0.36.3\n)\n';
const input: CacheKeyInput = {
  module: modules.kubernetes,
  goMod,
  goSum: 'sums\n',
  platform: 'linux',
  arch: 'x64',
};

describe('the cache key', () => {
  test('names the module it belongs to', () => {
    expect(cacheKey(input)).toMatch(/^kubernetes-[0-9a-f]{16}$/);
  });

  test('is the same for the same inputs', () => {
    expect(cacheKey({ ...input })).toBe(cacheKey(input));
  });

  test.each<[string, Partial<CacheKeyInput>]>([
    ['go.mod', { goMod: `${goMod}// changed` }],
    ['go.sum', { goSum: 'other sums\n' }],
    ['the platform', { platform: 'darwin' }],
    ['the architecture', { arch: 'arm64' }],
    ['what is built', { module: { ...modules.kubernetes, steps: [{ packages: ['other'] }] } }],
    ['what is copied', { module: { ...modules.kubernetes, copies: modules['argo-rollouts'].copies } }],
    ['the linker flags', { module: { ...modules.kubernetes, stamps: () => ({ 'a.b': 'c' }) } }],
  ])('changes with %s', (_, change) => {
    expect(cacheKey({ ...input, ...change })).not.toBe(cacheKey(input));
  });
});

describe('the version required by a go.mod', () => {
  test.each([
    ['in a block', 'require (\n\ta.b/c v1.2.3 // indirect\n)', 'v1.2.3'],
    ['on a line of its own', 'require a.b/c v1.2.3', 'v1.2.3'],
    [
      'beside a replacement of the same path',
      'replace (\n\ta.b/c => a.b/c v9.9.9\n)\nrequire a.b/c v1.2.3',
      'v1.2.3',
    ],
  ])('is found %s', (_, text, version) => {
    expect(requiredVersion(text, 'a.b/c')).toBe(version);
  });

  test('is an error that names the path when there is none', () => {
    expect(() => requiredVersion('require a.b/cd v1.2.3', 'a.b/c')).toThrow(
      'go.mod requires no version of a.b/c',
    );
  });
});

describe.each(Object.values(modules))('the module $name', (module) => {
  const pinned = readFileSync(join(moduleDirectory(module.name), 'go.mod'), 'utf8');

  test('names every package it builds as a tool', () => {
    for (const path of module.steps.flatMap((step) => step.packages)) {
      expect(pinned).toMatch(new RegExp(`^(tool |\\t)${path.replaceAll('.', '\\.')}$`, 'm'));
    }
  });

  test('stamps its binaries with the pinned version', () => {
    const flags = buildFlags(module, pinned);
    expect(flags.at(-1)).toMatch(/^-s -w( -X \S+=v?[\d.]+)+$/);
  });

  test('gives each of its artifacts a source', () => {
    const sources = [
      ...module.steps.flatMap((step) => step.as ?? step.packages.map((path) => path.split('/').at(-1))),
      ...module.copies.map((copy) => copy.as),
    ];
    expect(sources.toSorted()).toEqual([...module.artifacts].toSorted());
  });

  test('is found by each of its artifacts', () => {
    const [, minor] = module.name.split('kubernetes-');
    const env = minor === undefined ? {} : { RELOADER_TEST_KUBERNETES: minor };
    for (const artifact of module.artifacts) expect(moduleOf(artifact, env)).toBe(module);
  });
});

describe('an older Kubernetes', () => {
  const older = { RELOADER_TEST_KUBERNETES: '1.30' };

  test('is chosen by the environment', () => {
    expect(moduleOf('kube-apiserver', older).name).toBe('kubernetes-1.30');
    expect(moduleOf('etcd', older).name).toBe('kubernetes-1.30');
    expect(moduleOf('kube-apiserver').name).toBe('kubernetes');
  });

  test('is used with the clients of the newest', () => {
    for (const artifact of ['kubectl', 'kwok'] as const)
      expect(moduleOf(artifact, older).name).toBe('kubernetes');
    expect(moduleOf('helm', older).name).toBe('helm');
  });

  test('that is not pinned is an error with those that are', () => {
    expect(() => moduleOf('etcd', { RELOADER_TEST_KUBERNETES: '1.29' })).toThrow(
      'RELOADER_TEST_KUBERNETES is 1.29: use 1.30 or 1.33, or unset it for the newest',
    );
  });

  test.each(olderKubernetes)('%s has all its staging modules at its own version', (minor) => {
    const pinned = readFileSync(join(moduleDirectory(`kubernetes-${minor}`), 'go.mod'), 'utf8');
    const patch = requiredVersion(pinned, 'k8s.io/kubernetes').replace(`v${minor}.`, '');
    const replaced = [...pinned.matchAll(/^\t(\S+) => (\S+) (\S+)$/gm)];
    expect(replaced.length).toBeGreaterThan(25);
    for (const [, from, to, version] of replaced) {
      expect(to).toBe(from);
      expect(version).toBe(`v0.${minor.slice(2)}.${patch}`);
    }
  });
});

test('helm is told the minor version of the Kubernetes libraries it was built with', () => {
  const stamps = modules.helm.stamps('require (\n\thelm.sh/helm/v3 v3.21.4\n\tk8s.io/client-go v0.36.2\n)');
  expect(stamps['helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor']).toBe('36');
});
