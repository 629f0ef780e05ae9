/** A chart with a CRD, installed, upgraded, rolled back and removed by real Helm. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Tool } from './kubectl.ts';

const chart = fileURLToPath(new URL('chart', import.meta.url));

export function helmSuite(helm: () => Tool, kubectl: () => Tool): void {
  test('install --wait, upgrade, rollback, uninstall', async () => {
    const h = helm();
    const k = kubectl();
    const release = ['-n', 'helm-test'];
    const value = (): Promise<string> =>
      k(['get', 'configmap', 'shop', ...release, '-o', 'jsonpath={.data.mode}']);
    await h(['install', 'shop', chart, ...release, '--create-namespace', '--wait', '--timeout', '60s']);
    expect(await value()).toBe('slow');
    expect(
      await k(['get', 'deployment', 'shop', ...release, '-o', 'jsonpath={.status.availableReplicas}']),
    ).toBe('2');
    expect(await k(['get', 'crd', 'parcels.third.party', '-o', 'name'])).toContain('parcels.third.party');
    expect(await k(['get', 'parcels', ...release, '-o', 'name'])).toContain('parcel.third.party/first');
    await h(['upgrade', 'shop', chart, ...release, '--set', 'mode=fast', '--wait', '--timeout', '60s']);
    expect(await value()).toBe('fast');
    expect(await h(['history', 'shop', ...release])).toMatch(/2\s.*deployed/);
    await h(['rollback', 'shop', '1', ...release, '--wait', '--timeout', '60s']);
    expect(await value()).toBe('slow');
    expect(await h(['status', 'shop', ...release])).toContain('STATUS: deployed');
    await h(['uninstall', 'shop', ...release, '--wait', '--timeout', '60s']);
    await expect(k(['get', 'deployment', 'shop', ...release])).rejects.toThrow('not found');
  });
}
