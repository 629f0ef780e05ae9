/**
 * Profiles of the JavaScript engine, over HTTP, for the tools that read `.cpuprofile` and `.heapprofile` files.
 *
 * In: `/debug/pprof/profile?seconds=30` and `/debug/pprof/heap?seconds=30`. Out: the profile of these seconds.
 * Guarantees: on loopback only; one at a time; it ends if the caller disconnects; functions and sizes only. There is no
 * heap snapshot on purpose: it would contain the text of Secrets that are being read.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Session } from 'node:inspector/promises';
import {
  type Clock,
  type HttpHandler,
  type HttpServer,
  refuseMethod,
  respond,
  sleep,
  systemClock,
} from '@reloader/runtime';
import { localOnly } from './local-only.ts';

type Recorder = (session: Session, wait: () => Promise<void>) => Promise<unknown>;

const PREFIX = '/debug/pprof';
const DEFAULT_SECONDS = 30;
const MOST_SECONDS = 300;

const INDEX = `${PREFIX}/profile?seconds=30  where the time goes: save it as x.cpuprofile
${PREFIX}/heap?seconds=30     what is allocated and kept: save it as x.heapprofile
`;

const recordCpu: Recorder = async (session, wait) => {
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  await wait();
  return (await session.post('Profiler.stop')).profile;
};

const recordHeap: Recorder = async (session, wait) => {
  await session.post('HeapProfiler.enable');
  await session.post('HeapProfiler.startSampling');
  await wait();
  return (await session.post('HeapProfiler.stopSampling')).profile;
};

export function serveProfiles(server: HttpServer, clock: Clock = systemClock): void {
  let busy = false;
  const serve =
    (extension: string, record: Recorder): HttpHandler =>
    async ({ message, query }, response) => {
      if (message.method !== 'GET') return refuseMethod(response, 'GET');
      const seconds = Number(query.get('seconds') ?? DEFAULT_SECONDS);
      if (!(seconds > 0 && seconds <= MOST_SECONDS))
        return respond(response, 400, `seconds must be more than 0 and at most ${MOST_SECONDS}\n`);
      if (busy) return respond(response, 409, 'another profile is being recorded: try again later\n');
      busy = true;
      try {
        const profile = await recorded(record, seconds, clock, response);
        if (profile === undefined) return;
        const name = `attachment; filename="reloader.${extension}"`;
        response.setHeader('content-disposition', name);
        respond(response, 200, JSON.stringify(profile), 'application/json');
      } finally {
        busy = false;
      }
    };
  server
    .route(
      `${PREFIX}/`,
      localOnly((_request, response) => respond(response, 200, INDEX)),
    )
    .route(`${PREFIX}/profile`, localOnly(serve('cpuprofile', recordCpu)))
    .route(`${PREFIX}/heap`, localOnly(serve('heapprofile', recordHeap)));
}

/** Undefined if the caller has disconnected meanwhile. */
async function recorded(
  record: Recorder,
  seconds: number,
  clock: Clock,
  response: ServerResponse,
): Promise<unknown> {
  const gone = new AbortController();
  const done = new AbortController();
  const leaving = once(response, 'close', { signal: done.signal }).then(
    () => gone.abort(),
    () => undefined,
  );
  const session = new Session();
  session.connect();
  try {
    return await record(session, () => sleep(clock, seconds * 1000, gone.signal));
  } catch (error) {
    if (gone.signal.aborted) return undefined;
    throw error;
  } finally {
    // Also ends the recording.
    session.disconnect();
    done.abort();
    await leaving;
  }
}
