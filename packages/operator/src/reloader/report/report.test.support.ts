/** Builders for tests of reports: a test sets only the fields that it is about. */

import { POLICY } from '../decide/decide.test.support.ts';
import { formatLedger, parseLedger } from '../ledger/ledger.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Verdict } from '../model/decision.ts';
import type { Ledger, RecentReload } from '../model/ledger.ts';
import type { Cause, ReloadPlan } from '../model/plan.ts';
import type { SourceKind } from '../model/source.ts';
import type { Policy, Want } from '../model/want.ts';
import { type WorkloadFacts, workloadKey } from '../model/workload.ts';
import type { Later } from '../schedule/types.ts';
import { rolloutOf } from '../verify/rollout.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import type { EngineView, ReloadReport, WorkloadView } from './reporter.ts';
import { refOf } from './texts.ts';

/** 2030-01-01T00:00:00Z, where a virtual clock begins. */
export const START = Date.UTC(2030, 0, 1);
export const START_S = START / 1000;

export function cause(kind: SourceKind, name: string, namespace = 'shop'): Cause {
  return { ref: { kind, namespace, name }, finding: 'changed', slot: 'a'.repeat(40), container: 'app' };
}

type WantParts = Partial<Omit<Want, 'policy'>> & { readonly policy?: Partial<Policy> };

export function wantOf(overrides: WantParts = {}): Want {
  const policy: Policy = { ...POLICY, ...overrides.policy };
  return {
    sources: [],
    unwanted: [],
    configs: [],
    problems: [],
    policies: { own: policy, byConfig: [] },
    ...overrides,
    policy,
  };
}

export function ledgerOf(uid: string, overrides: Partial<Ledger> = {}): Ledger {
  return { uid, seq: 0, writtenAt: START_S, recent: [], sources: new Map(), ...overrides };
}

/** A Deployment `web` in `shop` whose ledger holds these reloads. */
export function reloadedWorkload(
  recent: readonly Partial<RecentReload>[],
  overrides: Parameters<typeof workloadFacts>[0] = {},
): WorkloadFacts {
  const plain = workloadFacts(overrides);
  const entries = recent.map((entry, index) => ({
    seq: index + 1,
    at: START_S,
    configs: ['shop/rules'],
    sources: [],
    ...entry,
  }));
  const last = entries.at(-1);
  const ledger = ledgerOf(plain.metadata.uid, {
    seq: last?.seq ?? 0,
    recent: entries,
    ...(last && { reloadedAt: last.at }),
  });
  return {
    ...plain,
    annotations: { ...plain.annotations, [FIXED_ANNOTATIONS.ledger]: formatLedger(ledger) },
  };
}

export function reloadReport(
  overrides: Partial<ReloadPlan> = {},
  rest: Partial<Omit<ReloadReport, 'plan'>> = {},
): ReloadReport {
  const workload = overrides.workload ?? workloadFacts();
  const seq = overrides.seq ?? 1;
  const now = overrides.now ?? START;
  const configs = overrides.configs ?? [];
  const ledger = ledgerOf(workload.metadata.uid, {
    seq,
    recent: [{ seq, at: Math.floor(now / 1000), configs, sources: [] }],
  });
  return {
    plan: {
      workload,
      ledgerBefore: undefined,
      ledgerAfter: formatLedger(ledger),
      ledger,
      recordBefore: undefined,
      evicting: undefined,
      mark: '',
      seq,
      now,
      causes: [cause('ConfigMap', 'settings')],
      configs,
      reloadStrategy: 'env-vars',
      rolloutStrategy: 'rollout',
      stakaterPauseMs: undefined,
      cronJob: 'run',
      usedWords: {},
      ...overrides,
    },
    want: wantOf(),
    seenAt: now,
    ...rest,
  };
}

export function later(why: Later['why'], until?: number): Later {
  return { kind: 'later', why, until, message: `because it is ${why}`, since: 0, change: 'k3v9x2mqpa' };
}

export function verdictOf(overrides: Partial<Verdict> = {}): Verdict {
  return {
    action: 'record',
    situation: 'first-sight',
    base: '-',
    differences: [],
    recorded: undefined,
    record: undefined,
    recordUrgent: false,
    ...overrides,
  };
}

export function viewOf(facts: WorkloadFacts, overrides: Partial<WorkloadView> = {}): WorkloadView {
  return {
    ref: refOf(facts),
    facts,
    want: wantOf(),
    verdict: undefined,
    recorded: recordIn(facts),
    deferred: undefined,
    lastError: undefined,
    forbidden: false,
    rollout: rolloutOf(facts),
    rolloutFailed: undefined,
    eviction: undefined,
    notes: [],
    ...overrides,
  };
}

/** The ledger on the workload itself. */
export function recordIn({ annotations }: WorkloadFacts): Ledger | undefined {
  const parsed = parseLedger(annotations[FIXED_ANNOTATIONS.ledger]);
  return parsed.kind === 'ledger' ? parsed.ledger : undefined;
}

export interface FakeView extends EngineView {
  /** Sets the view and notifies the listeners. */
  show(view: WorkloadView): void;
}

export function fakeView(...views: readonly WorkloadView[]): FakeView {
  const shown = new Map(views.map((view) => [workloadKey(view.ref), view]));
  const listeners: Parameters<EngineView['onChange']>[0][] = [];
  return {
    workload: (ref) => shown.get(workloadKey(ref)),
    summary: (ref) => shown.get(workloadKey(ref)),
    recorded: (ref) => shown.get(workloadKey(ref))?.recorded,
    deferred: (ref) => shown.get(workloadKey(ref))?.deferred,
    onChange: (listener) => void listeners.push(listener),
    show(view) {
      shown.set(workloadKey(view.ref), view);
      for (const listener of listeners) listener(view.ref);
    },
  };
}
