import { describe, expect, test } from 'vitest';
import { type ComponentName, type ComponentSettings, componentArguments, healthCheck } from './components.ts';
import { layoutOf } from './layout.ts';
import { componentsFor } from './start.ts';

const ports = {
  etcd: 20001,
  etcdPeer: 20002,
  apiServer: 20003,
  controllerManager: 20004,
  scheduler: 20005,
  kwok: 20006,
  rollouts: 20007,
  rolloutsMetrics: 20008,
};
const settings: ComponentSettings = {
  ports,
  files: layoutOf('/data'),
  auditLevel: 'Metadata',
  controllers: true,
  apiServerFlags: [],
};
const all: ComponentName[] = componentsFor({ argoRollouts: true });

describe('the components', () => {
  test.each([
    ['nothing', {}, ['etcd', 'kube-apiserver']],
    [
      'controllers',
      { controllers: true },
      ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
    ],
    ['KWOK', { kwok: true }, ['etcd', 'kube-apiserver', 'kwok']],
    [
      'workloads',
      { workloads: true },
      ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'],
    ],
    [
      'Argo Rollouts',
      { argoRollouts: true },
      ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok', 'rollouts-controller'],
    ],
  ])('asked for %s', (_, options, expected) => {
    expect(componentsFor(options)).toEqual(expected);
  });

  test.each(all)('%s is asked for its health at a port that it was given', (name) => {
    const { port } = new URL(healthCheck(name, ports).url);
    expect(componentArguments(name, settings).join(' ')).toContain(port);
  });

  test.each(all)('%s keeps its files in the directory of its control plane', (name) => {
    const paths = componentArguments(name, settings).flatMap((arg) => /=(\/.*)/.exec(arg)?.[1] ?? []);
    for (const path of paths) expect(path).toMatch(/^\/data\//);
  });
});

describe('the API server', () => {
  const args = (change: Partial<ComponentSettings> = {}) =>
    componentArguments('kube-apiserver', { ...settings, ...change });

  test('authorises by RBAC', () => {
    expect(args()).toContain('--authorization-mode=Node,RBAC');
  });

  test('writes the audit log before it answers, into a file that is never rotated', () => {
    expect(args()).toEqual(
      expect.arrayContaining([
        '--audit-log-path=/data/audit.log',
        '--audit-log-mode=blocking',
        '--audit-log-maxsize=1000000',
      ]),
    );
  });

  test('keeps no audit log at level None', () => {
    expect(args({ auditLevel: 'None' }).filter((arg) => arg.includes('audit'))).toEqual([]);
  });

  test('asks pods for a service account only where a controller creates them', () => {
    const disabled = '--disable-admission-plugins=ServiceAccount';
    expect(args({ controllers: false })).toContain(disabled);
    expect(args({ controllers: true })).not.toContain(disabled);
  });

  test("takes a test's flags last, so that they win", () => {
    expect(args({ apiServerFlags: ['--max-requests-inflight=1'] }).at(-1)).toBe('--max-requests-inflight=1');
  });
});
