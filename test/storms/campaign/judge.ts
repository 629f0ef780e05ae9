/**
 * Whether each reload was allowed by the gates that stood before it, told from what operators sent: when, by which of them,
 * for which sources, and which words of people it took off.
 */
import type { Ref } from '../../reloader/chronicle.ts';
import type { LedgerView } from '../../reloader/ledger-view.ts';
import { LEDGER, PREFIX } from '../../reloader/names.ts';
import type { SentRequest } from '../../reloader/stage.ts';
import { changesTemplate } from '../template-writes.ts';
import { type Gates, isOpen } from './gates.ts';

/** Gates and the sources (as in a ledger) for whose changes they count. */
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
  /** Of an operator's clock, by its user. */
  readonly skewOf: (user: string) => number;
  readonly longestSkewMs: number;
  /** When each workload stood frozen, by its name. */
  readonly frozen: ReadonlyMap<string, readonly Span[]>;
  /** Somebody put an old record back, or took it away: counts of reloads went with it. */
  readonly recordsLost: boolean;
}

/** A request that was decided on in time may be sent again for so long. */
const ON_ITS_WAY_MS = 30_000;
/** Silence is noticed after 70 s, a front end lags for 60 at most, and then the longest backoff. */
const KNOWN_AFTER_MS = 200_000;
const HOUR_MS = 3_600_000;

interface Reload {
  readonly at: number;
  /** By the clock of the operator that sent it. */
  readonly itsTime: number;
  readonly seq: number;
  readonly causes: readonly string[];
  readonly approved: boolean;
  readonly now: boolean;
}

export interface Judgement {
  readonly broken: string[];
  /** Reloads that stood before at least one gate. */
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
      // Of several the shortest counts, for the windows of all.
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
    // Whoever waited for too long passes an allowing window, and only the record knows since when.
    ...(window === 'allow' && !deadline && !wasOpen('allow') ? ['was sent outside of its window'] : []),
  ];
}

function frozenFor(spans: readonly Span[], { at }: Reload): string[] {
  const found = spans.find(({ from, to }) => from + KNOWN_AFTER_MS < at && at < to);
  return found ? [`was sent ${(at - found.from) / 1000} s after it was frozen`] : [];
}

/** No stretch of time has more reloads than the burst and what was earned in it; those by `now` aside. */
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

/** A number that comes again is a rollout that somebody took back and that is repeated: no gate stands before it. */
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

/** Written by itself, or with all annotations of a workload that had none. */
function ledgerIn(operations: readonly Operation[]): LedgerView | undefined {
  const path = '/metadata/annotations';
  const texts = operations.flatMap((each) => {
    if (each.op === 'test') return [];
    if (each.path === `${path}/${LEDGER.replace('/', '~1')}`) return [each.value];
    return each.path === path ? [(each.value as Record<string, unknown>)[LEDGER]] : [];
  });
  return texts[0] === undefined ? undefined : (JSON.parse(String(texts[0])) as LedgerView);
}
