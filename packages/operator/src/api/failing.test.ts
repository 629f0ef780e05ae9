/** Messages about failed rollouts, and about restarts that a PodDisruptionBudget blocks. */
import { describe, expect, it } from 'vitest';
import { statusText } from '../cli/texts/status.ts';
import { NO_BASE } from '../reloader/ledger/note.ts';
import { NO_SLOTS } from '../reloader/model/budget.ts';
import type { Ledger } from '../reloader/model/ledger.ts';
import type { BlockedEviction } from '../reloader/model/plan.ts';
import { viewOf } from '../reloader/report/report.test.support.ts';
import {
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  workloadFacts,
} from '../reloader/want/world.test.support.ts';
import type { ClusterView } from './cluster-view.ts';
import { createOperatorView } from './operator-view.ts';
import { partsOver } from './parts.test.support.ts';

const digest = (text: string): string => text.padEnd(32, '0');
const NOW = 5_000_000;
const never = new AbortController().signal;
const web = workloadFacts({
  annotations: { 'reloader.stakater.com/auto': 'true', 'reloader.stakater.com/settle': '0s' },
  podSpec: { containers: [{ name: 'app', envFrom: [{ secretRef: { name: 'db' } }] }] },
});
const ref = { kind: web.kind, namespace: web.metadata.namespace, name: web.metadata.name };
const record: Ledger = {
  uid: web.metadata.uid,
  seq: 0,
  writtenAt: 2000,
  recent: [],
  sources: new Map([['secret/db', { digest: digest('old') }]]),
};

function operatorViewWith(blocked?: BlockedEviction, rolloutFailed?: string) {
  const world = fakeWorld({
    sources: [sourceFacts({ kind: 'Secret', name: 'db', digest: digest('new'), writtenAt: 3000 })],
    workloads: [web],
    namespaces: [namespaceFacts()],
  });
  const view = viewOf(web, { rolloutFailed, recorded: { ...record, seq: 1, reloadedAt: 4000 } });
  const shown = {
    ...view,
    want: { ...view.want, sources: [{ ref: { kind: 'Secret' } }] },
  } as unknown as typeof view;
  const clusterView: Partial<ClusterView> = {
    world,
    settings: defaultSettings({ settleMs: 0 }),
    now: () => NOW,
    install: () => ({ at: 100, keyId: undefined }),
    note: () => ({ kind: 'note', note: { record, base: NO_BASE } }),
    memory: () => undefined,
    following: () => undefined,
    blocked: () => blocked,
    lastError: () => undefined,
    notes: () => [],
    history: () => undefined,
    peers: { of: () => [], isOrdered: () => false },
    slots: () => NO_SLOTS,
    workloads: () => [web],
    affected: () => [],
    lookAtPods: async () => ({ readSince: [1] }) as never,
    comparesSecrets: true,
  };
  return createOperatorView({
    clusterView: clusterView as ClusterView,
    ...partsOver(() => [shown]),
    histories: () => [],
    leads: () => true,
    inventory: () => ({ sources: {}, workloads: {} }),
    version: '1',
    installedAt: 100,
  });
}

describe('explain', () => {
  it('names the budget, the pod and since when, and does not say that it reloads now', async () => {
    const free = await operatorViewWith().explain(ref, never);
    expect(free?.summary).toMatch(/^Reloads now/);
    const blocked = { pod: 'web-1', budget: 'keep-two', message: 'needs 2 healthy pods', since: NOW };
    const held = await operatorViewWith(blocked).explain(ref, never);
    expect(held?.summary).toBe(
      'Restarts its pods one by one: pod web-1 is protected by PodDisruptionBudget keep-two since 1970-01-01T01:23:20Z: needs 2 healthy pods',
    );
  });
});

describe('status', () => {
  it('says failing, and why', async () => {
    const operatorView = operatorViewWith(undefined, 'pod web-1: container app: CrashLoopBackOff');
    const status = await operatorView.status();
    const items = await operatorView.read(operatorView.lines());
    expect(status.failing).toEqual([
      { workload: ref, error: 'the rollout failed: pod web-1: container app: CrashLoopBackOff' },
    ]);
    expect(items[0]).toMatchObject({ rolloutFailed: 'pod web-1: container app: CrashLoopBackOff' });
    const plain = new Proxy({}, { get: () => (text: string) => text }) as Parameters<typeof statusText>[1];
    const text = statusText({ ...status, items }, plain, {
      clock: { now: () => NOW },
      columns: 200,
    } as unknown as Parameters<typeof statusText>[2]);
    expect(text).toMatch(/web .* failing/);
  });
});
