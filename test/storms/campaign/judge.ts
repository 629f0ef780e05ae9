/**
 * Checks that the gates allowed each reload, from the requests of the operators: when, by which operator, for which
 * sources, and which annotations of users (approvals) each request removed.
 */
import type { Ref } from '../../reloader/chronicle.ts';
import type { LedgerView } from '../../reloader/ledger-view.ts';
import { LEDGER, PREFIX } from '../../reloader/names.ts';
import type { SentRequest } from '../../reloader/stage.ts';
import { changesTemplate } from '../template-writes.ts';
import { type Gates, isOpen } from './gates.ts';

/** Gates, and the sources (as in a ledger) whose changes they apply to. */
export interface Ruling {
  readonly by: string;
  readonly gates: Gates;
  readonly sources: readonly string[] | 'all';
}

export interface Judged {
  readonly workload: Ref;
  readonly rulings: readonly Ruling[];
}

export interface Span {
  /** Milliseconds since the epoch, by the server's clock. */
  readonly from: number;
  readonly to: number;
}

export interface Circumstances {
  /** The clock skew of an operator, by its user name. */
  readonly skewOf: (user: string) => number;
  readonly longestSkewMs: number;
  /** When each workload was frozen, by its name. */
  readonly frozen: ReadonlyMap<string, readonly Span[]>;
  /** An old record was restored, or one was deleted: the counts of reloads are lost with it. */
  readonly recordsLost: boolean;
}

/** A request that was decided in time may be retried for so long. */
const ON_ITS_WAY_MS = 30_000;
/** A silent watch is noticed after 70 s, a front end lags for at most 60 s, and then the longest backoff. */
const KNOWN_AFTER_MS = 200_000;
const HOUR_MS = 3_600_000;

interface Reload {
  readonly at: number;
  /** The time by the clock of the operator that sent it. */
  readonly itsTime: number;
  readonly seq: number;
  readonly causes: readonly string[];
  readonly approved: boolean;
  readonly now: boolean;
}

export interface Judgement {
  readonly broken: string[];
  /** Reloads that at least one gate applied to. */
  readonly judged: number;
}

export function gatesWereKept(
  sent: readonly SentRequest[],
  judged: readonly Judged[],
  circumstances: Circumstances,
): Judgement {
  const broken: string[] = [];
  let count = 0;
  for (const { workload, rulings } of judged) {
    const reloads = reloadsIn(sent, workload, circumstances);
    for (const reload of reloads) {
      const counting = rulings.filter(({ sources }) => concerns(sources, reload.causes));
      if (counting.length > 0) count += 1;
      // With several gates, the shortest maximum wait applies to the windows of all.
      const deadline = counting.some(({ gates }) => gates.maxWaitMinutes !== undefined);
      const said = `reload ${reload.seq} of ${workload.name} for ${reload.causes.join(', ')}`;
      const wrong = [
        ...counting.flatMap(({ by, gates }) =>
          heldBy(gates, reload, deadline).map((why) => `${why} (${by})`),
        ),
        ...frozenFor(circumstances.frozen.get(workload.name) ?? [], reload),
      ];
      broken.push(...wrong.map((why) => `I5: ${said} ${why}`));
    }
    if (!circumstances.recordsLost) broken.push(...tooFast(workload, rulings, reloads, circumstances));
  }
  return { broken, judged: count };
}

function heldBy({ window, approval }: Gates, reload: Reload, deadline: boolean): string[] {
  if (reload.now) return [];
  const { itsTime } = reload;
  const wasOpen = (kind: 'allow' | 'deny'): boolean =>
    isOpen(kind, itsTime) || isOpen(kind, itsTime - ON_ITS_WAY_MS);
  return [
    ...(approval && !reload.approved ? ['was approved by nobody'] : []),
    ...(window === 'deny' && !wasOpen('deny') ? ['was sent in a denying window'] : []),
    // After the maximum wait a reload passes an allowing window, and only the record has the start of the wait.
    ...(window === 'allow' && !deadline && !wasOpen('allow') ? ['was sent outside of its window'] : []),
  ];
}

function frozenFor(spans: readonly Span[], { at }: Reload): string[] {
  const found = spans.find(({ from, to }) => from + KNOWN_AFTER_MS < at && at < to);
  return found ? [`was sent ${(at - found.from) / 1000} s after it was frozen`] : [];
}

/** Any interval has at most the burst plus the reloads earned in it; those by `now` do not count. */
function tooFast(
  workload: Ref,
  rulings: readonly Ruling[],
  reloads: readonly Reload[],
  { longestSkewMs }: Circumstances,
): string[] {
  return rulings.flatMap(({ by, gates: { rate }, sources }) => {
    if (!rate) return [];
    const counted = reloads.filter(({ now, causes }) => !now && concerns(sources, causes));
    return counted.flatMap((last, index) => {
      const crowd = counted.slice(0, index).findIndex((first, from) => {
        const earned = ((last.at - first.at + longestSkewMs) / HOUR_MS) * rate.perHour;
        return index - from + 1 > rate.burst + earned + 1;
      });
      return crowd < 0
        ? []
        : [
            `I5: ${workload.name} was reloaded ${index - crowd + 1} times in ${(last.at - (counted[crowd]?.at ?? 0)) / 1000} s (${by})`,
          ];
    });
  });
}

function concerns(sources: Ruling['sources'], causes: readonly string[]): boolean {
  return sources === 'all' || causes.some((cause) => sources.includes(cause));
}

/** A repeated number is a rollout that was reverted and is repeated: gates do not apply to it. */
function reloadsIn(
  sent: readonly SentRequest[],
  { kind, name, namespace }: Ref,
  { skewOf }: Circumstances,
): Reload[] {
  const seen = new Set<number>();
  return sent.flatMap((request) => {
    const isItsOwn =
      request.name === name &&
      request.namespace === namespace &&
      request.resource === `${kind.toLowerCase()}s` &&
      request.subresource === '';
    if (!isItsOwn || !changesTemplate(request)) return [];
    const operations = request.body as Operation[];
    const touches = (annotation: string, op: string): boolean =>
      operations.some(
        (each) => each.op === op && each.path === `/metadata/annotations/${annotation.replace('/', '~1')}`,
      );
    const ledger = ledgerIn(operations);
    if (!ledger || seen.has(ledger.seq)) return [];
    seen.add(ledger.seq);
    return [
      {
        at: request.at,
        itsTime: request.at + skewOf(request.user),
        seq: ledger.seq,
        causes: ledger.recent?.find(({ n }) => n === ledger.seq)?.s ?? [],
        approved: touches(`${PREFIX}/approve`, 'remove'),
        now: touches(`${PREFIX}/now`, 'remove'),
      },
    ];
  });
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

/** The ledger is written alone, or together with all annotations if the workload had none. */
function ledgerIn(operations: readonly Operation[]): LedgerView | undefined {
  const path = '/metadata/annotations';
  const texts = operations.flatMap((each) => {
    if (each.op === 'test') return [];
    if (each.path === `${path}/${LEDGER.replace('/', '~1')}`) return [each.value];
    return each.path === path ? [(each.value as Record<string, unknown>)[LEDGER]] : [];
  });
  return texts[0] === undefined ? undefined : (JSON.parse(String(texts[0])) as LedgerView);
}
