/** Two writers fight over a source for a day: how often a workload restarts, and what users are told. */
import { baseOf, type ParsedNote } from '../ledger/note.ts';
import { afterPatch } from '../ledger/remember.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import { NO_SLOTS } from '../model/budget.ts';
import type { RateLimit } from '../model/rate.ts';
import type { PastContent } from '../model/source-facts.ts';
import {
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  usingPodSpec,
  workloadFacts,
} from '../want/world.test.support.ts';
import { type PlanInput, plan } from './plan.ts';

const SECRET = { kind: 'Secret', name: 'db' } as const;
const START = 1_800_000_000;

/** Another content each second, from two writers in turns. */
export function fight(reloadRate: RateLimit | undefined, seconds: number) {
  const settings = defaultSettings({ settleMs: 0, reloadRate });
  const podSpec = usingPodSpec(SECRET);
  let annotations: Record<string, string> = { 'reloader.stakater.com/auto': 'true' };
  let templateAnnotations: Record<string, string> = {};
  let version = 1;
  let note: ParsedNote = { kind: 'absent' };
  let memory: PlanInput['memory'];
  let past: readonly PastContent[] = [];
  let reloads = 0;
  const warnings = new Set<string>();
  for (let second = 0; second < seconds; second += 1) {
    const digest = String(second).padStart(22, 'd');
    const writtenBy = second % 2 === 0 ? 'cert-manager' : 'old-cert-manager';
    const source = sourceFacts({ ...SECRET, digest, writtenAt: START + second, writtenBy, past });
    const at = { digest, keyDigests: '', from: START + second, until: START + second + 1, by: writtenBy };
    past = [...past, at].slice(-8);
    const plain = workloadFacts({ annotations, templateAnnotations, podSpec });
    const workload = { ...plain, metadata: { ...plain.metadata, resourceVersion: String(version) } };
    const now = (START + second) * 1000;
    const world = fakeWorld({ sources: [source], workloads: [workload], namespaces: [namespaceFacts()] });
    const given = {
      workload,
      world,
      settings,
      note,
      memory,
      pods: { createdAt: [START - 100], readSince: [START - 100] },
      now,
    };
    const planned = plan({
      ...given,
      install: { at: 100, keyId: 'key1' },
      slots: () => NO_SLOTS,
      following: undefined,
    });
    memory = planned.memory;
    const { action } = planned;
    if (action.kind === 'record') {
      note = { kind: 'note', note: { record: action.ledger, base: action.verdict.base } };
    } else if (action.kind === 'defer') {
      for (const { event, message } of action.later.warnings ?? []) warnings.add(`${event}: ${message}`);
    } else if (action.kind === 'reload') {
      reloads += 1;
      version += 1;
      annotations = { ...annotations, [FIXED_ANNOTATIONS.ledger]: action.reload.ledgerAfter };
      templateAnnotations = { [FIXED_ANNOTATIONS.rolled]: action.reload.mark };
      const base = baseOf(action.reload.ledgerAfter);
      memory = afterPatch(memory, action.ledger, base);
      note = { kind: 'note', note: { record: action.ledger, base } };
    }
  }
  return { reloads, warnings: [...warnings] };
}
