/**
 * Keeps the store up to date: reads the overview, then follows the stream, and starts over if the stream cannot be
 * resumed. The views read the rows that they show.
 *
 * The stream resumes from the revision of the overview, so no change between the two is missed. If the stream sends
 * nothing for 20 s, the page says so.
 */
import type { MeAnswer, OverviewAnswer, StreamBatch, TimelineAnswer } from '@reloader/operator/api';
import { ApiFailure, get, openStream } from './api.ts';
import { EventParser } from './sse.ts';
import { MOST_EVENTS, type Store } from './store.ts';

/** Heartbeats come every 15 s. */
const SILENCE_MS = 20_000;
const AGAIN_MS = 1_000;
const LONGEST_AGAIN_MS = 10_000;
const LATER_MS = 4_000;
/** The timeline will be read again. */
let isReadLater = false;

/** The stream of a page that was hidden for this long is closed until the page is visible again. */
const UNSEEN_MS = 60_000;

class ResetError extends Error {}
class UnseenError extends Error {
  override message = 'Nobody looked at this page';
}

/** Retries without waiting: the user has just entered a token. */
export let retryNow: () => void = () => undefined;

export async function follow(store: Store): Promise<never> {
  let pause = AGAIN_MS;
  let revision = '';
  for (;;) {
    await untilSeen();
    try {
      if (revision === '') revision = await readAll(store);
      await readStream(store, revision, (next) => {
        revision = next;
        pause = AGAIN_MS;
      });
    } catch (error) {
      if (error instanceof ResetError) {
        revision = '';
        continue;
      }
      if (error instanceof ApiFailure && (error.status === 401 || error.status === 403)) revision = '';
      fail(store, error);
      if (error instanceof UnseenError) continue;
    }
    await new Promise<void>((resolve) => {
      retryNow = resolve;
      setTimeout(resolve, pause);
    });
    pause = Math.min(LONGEST_AGAIN_MS, pause * 2);
  }
}

function fail(store: Store, error: unknown): void {
  const isDenied = error instanceof ApiFailure && (error.status === 401 || error.status === 403);
  store.link = isDenied ? 'denied' : store.overview ? 'stale' : 'failed';
  store.trouble = error instanceof Error ? error.message : String(error);
  store.changed();
}

/** Resolves with the revision that the stream resumes from; older events are loaded in the background. */
async function readAll(store: Store): Promise<string> {
  const [me, overview] = await Promise.all([get<MeAnswer>('me'), get<OverviewAnswer>('overview')]);
  store.begin(me, overview);
  void readTimeline(store);
  return overview.revision;
}

async function readTimeline(store: Store, limit = ''): Promise<void> {
  try {
    const { begins, events } = await get<TimelineAnswer>(`timeline${limit}`);
    store.begins = begins;
    store.addEvents(events);
  } catch (error) {
    fail(store, error);
  }
}

/** Of very many events a batch has only the newest. While such batches keep coming, the others are read now and then. */
function readLater(store: Store): void {
  if (isReadLater) return;
  isReadLater = true;
  setTimeout(() => {
    isReadLater = false;
    void readTimeline(store, `?limit=${MOST_EVENTS}`);
  }, LATER_MS);
}

function untilSeen(): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    look();
  });
}

/** Calls back when the page was hidden for a while. Returns a function that stops this. */
function whenUnseen(leave: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(leave, UNSEEN_MS);
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  };
}

/** Returns when the server ends the stream; throws if it cannot be resumed. */
async function readStream(store: Store, from: string, onRevision: (revision: string) => void): Promise<void> {
  const ending = new AbortController();
  const seen = whenUnseen(() => ending.abort(new UnseenError()));
  const silent = (): void => ending.abort(new Error(`No word for ${SILENCE_MS / 1000} s`));
  let silence = setTimeout(silent, SILENCE_MS);
  const heard = (): void => {
    clearTimeout(silence);
    silence = setTimeout(silent, SILENCE_MS);
  };
  try {
    const response = await openStream(from, ending.signal);
    const parser = new EventParser();
    const decoder = new TextDecoder();
    const reader = response.body?.getReader();
    for (;;) {
      const piece = await reader?.read();
      if (!piece || piece.done) break;
      heard();
      for (const { event, data } of parser.push(decoder.decode(piece.value, { stream: true }))) {
        if (event === 'reset') throw new ResetError();
        if (event === 'batch') take(store, JSON.parse(data) as StreamBatch, onRevision);
      }
    }
  } catch (error) {
    // The browser has its own words for it.
    throw ending.signal.aborted ? ending.signal.reason : error;
  } finally {
    clearTimeout(silence);
    seen();
    ending.abort();
  }
  store.link = 'stale';
  store.trouble = 'The operator ended the connection';
  store.changed();
}

function take(store: Store, batch: StreamBatch, onRevision: (revision: string) => void): void {
  store.link = 'live';
  store.trouble = '';
  store.add(batch);
  if (batch.more) readLater(store);
  onRevision(batch.revision);
}
