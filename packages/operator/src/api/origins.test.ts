import { expect, test } from 'vitest';
import type { Want } from '../reloader/model/want.ts';
import {
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  workloadFacts,
} from '../reloader/want/world.test.support.ts';
import { originsOf } from './origins.ts';

const SETTLE = 'reloader.stakater.com/settle';

const want = (byConfig: readonly object[] = [], pausedBy?: string): Want =>
  ({ policy: { pausedBy }, policies: { byConfig } }) as never;

function originOf(annotations: Readonly<Record<string, string>>, said: Want, onNamespace = {}) {
  const workload = workloadFacts({ annotations });
  const { namespace } = workload.metadata;
  const world = fakeWorld({ namespaces: [namespaceFacts({ name: namespace, annotations: onNamespace })] });
  return originsOf(workload, said, { world, settings: defaultSettings({ namespaceDefaults: true }) });
}

test('a setting comes from a ReloaderConfig, else the workload, else its Namespace, else a flag', () => {
  const config = { config: 'shop/careful', settleMs: 5_000 };
  const own = { [SETTLE]: '1s' };
  expect(originOf(own, want([{ config: 'shop/mute' }, config]), own).settle).toBe(
    'ReloaderConfig shop/careful',
  );
  expect(originOf(own, want(), own).settle).toBe(`${SETTLE} on the workload`);
  expect(originOf({}, want(), own).settle).toBe(`${SETTLE} on its Namespace`);
  expect(originOf({}, want()).settle).toBe('--settle or its default');
});

test('a pause names who asks for it', () => {
  expect(originOf({}, want([], 'annotation pause'))).toMatchObject({ pause: 'annotation pause' });
  expect(originOf({}, want())).not.toHaveProperty('pause');
});
