/** Kubeconfigs in temporary folders. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ClusterConfig } from './cluster-config.ts';
import { type LoadConfigOptions, loadConfig } from './load.ts';

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes files by relative path and returns their folder. */
export function folderWith(files: Readonly<Record<string, string | object>>): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

export interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
}

/** A kubeconfig with one context `dev`. */
export function kubeconfig({ cluster, user, context }: Parts = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'dev',
    clusters: [{ name: 'c', cluster: { server: 'https://api.test:6443', ...cluster } }],
    users: [{ name: 'u', user: user ?? {} }],
    contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u', ...context } }],
  };
}

/** Loads one kubeconfig from a folder, untouched by the machine the test runs on. */
export function load(
  folder: string,
  options: LoadConfigOptions = {},
  name = 'config',
): Promise<ClusterConfig> {
  return loadConfig({ kubeconfig: join(folder, name), environment: {}, ...options });
}
