import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useControlPlane } from './vitest.ts';

const cluster = useControlPlane({ argoRollouts: true });

const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'main', image: 'none' }] },
});

test('Helm installs, upgrades and removes a chart and waits for its workloads', async () => {
  const chart = join(cluster().directory, 'chart');
  mkdirSync(join(chart, 'templates'), { recursive: true });
  // A chart that supports no Kubernetes older than the one that is running.
  writeFileSync(
    join(chart, 'Chart.yaml'),
    'apiVersion: v2\nname: sample\nversion: 1.0.0\nkubeVersion: ">=1.31.0-0"\n',
  );
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'sample' },
    spec: { replicas: 2, selector: { matchLabels: { app: 'sample' } }, template: template('sample') },
  };
  const text = JSON.stringify(deployment).replace(
    '"replicas":2',
    '"replicas":{{ .Values.replicas | default 2 }}',
  );
  writeFileSync(join(chart, 'templates', 'deployment.yaml'), text);

  expect(await cluster().helm(['template', 'sample', chart])).toContain('"replicas":2');
  await cluster().helm(['install', 'sample', chart, '--wait', '--timeout=60s']);
  await cluster().helm(['upgrade', 'sample', chart, '--set=replicas=3', '--wait', '--timeout=60s']);
  const ready = ['get', 'deployment', 'sample', '-o', 'jsonpath={.status.readyReplicas}'];
  expect(await cluster().kubectl(ready)).toBe('3');
  await cluster().helm(['uninstall', 'sample', '--wait', '--timeout=60s']);
  await expect(cluster().kubectl(ready)).rejects.toThrow('not found');
});

test('a Rollout of Argo becomes healthy', async () => {
  await cluster().kubectl(['apply', '-f', '-'], {
    input: {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
      metadata: { name: 'canary' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'canary' } },
        template: template('canary'),
        strategy: { canary: { steps: [{ setWeight: 50 }] } },
      },
    },
  });
  await cluster().kubectl([
    'wait',
    'rollout/canary',
    '--for=jsonpath={.status.phase}=Healthy',
    '--timeout=60s',
  ]);
  const available = ['get', 'rollout', 'canary', '-o', 'jsonpath={.status.availableReplicas}'];
  expect(await cluster().kubectl(available)).toBe('2');
});
