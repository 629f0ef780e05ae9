/** Workloads that follow ConfigMap `shop/a`, each with its note, the state of this process, and a plan of its own. */
import { digestOf, KEY_ID, ledgerWith } from '../../decide/decide.test.support.ts';
import { NO_BASE, type ParsedNote } from '../../ledger/note.ts';
import type { ConfigFacts } from '../../model/config.ts';
import type { Ledger, Note } from '../../model/ledger.ts';
import type { OutcomeResult, ReloadOutcome } from '../../model/verify.ts';
import type { WorkloadRef } from '../../model/workload.ts';
import { fakeWorld, namespaceFacts, sourceFacts, workloadFacts } from '../../want/world.test.support.ts';
import type { PeerState } from './lookup.ts';
import type { PeerPlan } from './peer-plans.ts';
import type { OrderInput } from './standing.ts';

export const NOW = Date.UTC(2030, 0, 1);
export const SOURCE = { kind: 'ConfigMap', namespace: 'shop', name: 'a' } as const;
export const CONTENT = digestOf('new');
export const OLD = digestOf('old');

export interface Peer {
  readonly name: string;
  readonly namespace?: string;
  /** The recorded content of the source; undefined: nothing is recorded. */
  readonly content?: string;
  readonly record?: Partial<Ledger>;
  readonly outcomes?: readonly ReloadOutcome[];
  readonly failed?: Note['failed'];
  readonly facts?: Parameters<typeof workloadFacts>[0];
  readonly state?: PeerState;
  /** Its own plan; undefined: it has to be made later. */
  readonly plan?: Partial<PeerPlan>;
}

export const refOfPeer = ({ name, namespace = 'shop' }: Peer): WorkloadRef => ({
  kind: 'Deployment',
  namespace,
  name,
});
const keyIn = (namespace: string): string => (namespace === 'shop' ? 'cm/a' : 'cm/shop/a');

/** The outcome of reload 1, which brought this content. */
export const outcome = (
  result: OutcomeResult,
  parts: Partial<ReloadOutcome> & { readonly content?: string } = {},
): ReloadOutcome => {
  const { content = CONTENT, ...rest } = parts;
  return { seq: 1, result, at: NOW / 1000 - 60, template: 't', sources: { 'cm/a': content }, ...rest };
};

/** A peer that was reloaded for the current content, with this outcome. */
export const ended = (name: string, result: OutcomeResult, parts: Partial<ReloadOutcome> = {}): Peer => ({
  name,
  content: CONTENT,
  record: { seq: 1 },
  outcomes: [outcome(result, parts)],
});

/** A peer that has the content before, and whose plan says this. */
export const behind = (name: string, plan?: Partial<PeerPlan>): Peer => ({
  name,
  content: OLD,
  ...(plan && { plan }),
});

export function orderInput(
  peers: readonly Peer[],
  { configs = [], ...parts }: Partial<OrderInput> & { readonly configs?: readonly ConfigFacts[] } = {},
): OrderInput {
  const find = ({ namespace, name }: WorkloadRef): Peer | undefined =>
    peers.find((peer) => peer.name === name && refOfPeer(peer).namespace === namespace);
  const workloads = peers.map((peer) => {
    const { name, namespace } = refOfPeer(peer);
    return workloadFacts({ name, namespace, uid: `uid-${name}`, ...peer.facts });
  });
  const namespaces = [...new Set(peers.map((peer) => refOfPeer(peer).namespace))];
  return {
    world: fakeWorld({
      sources: [sourceFacts({ name: 'a', digest: CONTENT })],
      workloads,
      configs: [...configs],
      namespaces: namespaces.map((name) => namespaceFacts({ name })),
    }),
    peers: {
      of: () => peers.map(refOfPeer),
      isOrdered: () => false,
      note: (ref) => noteOf(find(ref)),
      known: (ref) => find(ref)?.state,
    },
    install: { at: 0, keyId: KEY_ID },
    deadlineMs: 600_000,
    planOf: ({ metadata: { name, namespace } }) => {
      const plan = find({ kind: 'Deployment', namespace, name })?.plan;
      return plan && { ...PLAN, ...plan };
    },
    settings: { allowCrossNamespace: false },
    now: NOW,
    ...parts,
  };
}

const PLAN: PeerPlan = {
  kind: 'reload',
  why: '',
  heldBy: undefined,
  wanted: new Set(['cm/a', 'cm/shop/a']),
  changed: new Set(['cm/a', 'cm/shop/a']),
  recorded: undefined,
};

function noteOf(peer: Peer | undefined): ParsedNote {
  if (peer?.content === undefined) return { kind: 'absent' };
  const { name, content, record, outcomes, failed } = peer;
  const key = keyIn(refOfPeer(peer).namespace);
  const ledger = {
    ...ledgerWith({ uid: `uid-${name}`, sources: { [key]: { digest: content } } }),
    ...record,
  };
  return {
    kind: 'note',
    note: { record: ledger, base: NO_BASE, ...(outcomes && { outcomes }), ...(failed && { failed }) },
  };
}
