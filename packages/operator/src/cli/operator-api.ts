/**
 * A command's access to the running operator.
 *
 * In: a connection to the cluster, or an address. Out: its `/api/v1`, or the reason why it cannot be reached. The
 * operator answers on the loopback of its pods, which are found by its Service, through a port-forward. So the caller
 * needs the rights to see the pods and to open a port-forward, and no others. Of several pods the leader is asked, and
 * of several installations the one that watches the namespace in question.
 */
import { ApiError, type Client, ConnectionError, RequestTimeoutError, sleep } from '@reloader/runtime';
import { API_PATH } from '../api/routes.ts';
import type { StatusAnswer } from '../api/shapes.ts';
import type { CommandIO, Connection } from './command-io.ts';
import { CommandFailure } from './failure.ts';
import { getOverStream } from './get-over-stream.ts';
import { type Open, openAt, openOver } from './open-request.ts';
import { type OperatorService, operatorServices, podsOf } from './operator-pods.ts';

export interface OperatorApi {
  readonly where: string;
  readonly status: StatusAnswer;
  /** Undefined if the operator answers that it does not exist. */
  get<T>(path: string): Promise<T | undefined>;
  /** Opens any path of it; the answer is read while it arrives. */
  readonly open: Open;
}

export type FoundOperator = { readonly api: OperatorApi } | { readonly unreachable: string };

export interface OperatorOptions {
  /** `--operator`: its address. */
  readonly operator?: string;
  /** `--operator-namespace`: the namespace of its Service. */
  readonly operatorNamespace?: string;
}

const PATIENCE_MS = 10_000;
/** The number of replicas that are tried to find the leader. */
const MOST_PODS = 3;

type Ask = (path: string, signal: AbortSignal) => Promise<{ readonly status: number; readonly body: string }>;

/** With a given address a failure is an error. Of several operators the one that watches `namespace` is asked. */
export async function findOperator(
  connection: Connection | undefined,
  options: OperatorOptions,
  io: CommandIO,
  namespace?: string,
): Promise<FoundOperator> {
  const { operator } = options;
  if (operator !== undefined) {
    const base = operator.replace(/\/+$/, '');
    const found = await reach(operator, (path, signal) => io.fetch(base + path, signal), openAt(base), io);
    if ('unreachable' in found) {
      throw new CommandFailure(`The operator does not answer at ${operator}: ${found.unreachable}`);
    }
    return found;
  }
  if (!connection) return { unreachable: 'no cluster and no --operator were given' };
  const { signal } = io;
  const services = await operatorServices(connection.client, options.operatorNamespace, signal);
  if (typeof services === 'string') return { unreachable: services };
  let why = '';
  let other: FoundOperator | undefined;
  for (const service of services) {
    const found = await reachPods(service, connection, io);
    if ('unreachable' in found) why ||= `Service ${service.namespace}/${service.name}: ${found.unreachable}`;
    else if (namespace === undefined || watches(found.api.status, namespace)) return found;
    else other ??= found;
  }
  return other ?? { unreachable: why };
}

function watches({ namespaces }: StatusAnswer, namespace: string): boolean {
  return namespaces.length === 0 || namespaces.includes(namespace);
}

async function reachPods(
  service: OperatorService,
  { client, forward }: Connection,
  io: CommandIO,
): Promise<FoundOperator> {
  const pods = await podsOf(service, client, io.signal);
  // In the demo's cluster the operator runs beside the cluster, not in a pod.
  if (typeof pods === 'string') return reachByProxy(service, client, io, pods);
  let standby: FoundOperator | undefined;
  let why = '';
  for (const { namespace, name, port } of pods.slice(0, MOST_PODS)) {
    const ask: Ask = async (path, signal) =>
      getOverStream(await forward({ namespace, pod: name, port }, signal), path, signal);
    const open = openOver((signal) => forward({ namespace, pod: name, port }, signal));
    const found = await reach(`Pod ${namespace}/${name}`, ask, open, io);
    if ('unreachable' in found) why ||= found.unreachable;
    else if (found.api.status.leading) return found;
    else standby ??= found;
  }
  return standby ?? { unreachable: why };
}

/** Works only with a proxy that ends on the operator's loopback, as the demo's does. */
async function reachByProxy(
  { namespace, name, port }: OperatorService,
  client: Client,
  io: CommandIO,
  noPods: string,
): Promise<FoundOperator> {
  const base = `/api/v1/namespaces/${namespace}/services/${name}:${port}/proxy`;
  const ask: Ask = (path, signal) => proxied(client, base + path, signal);
  const open: Open = async (path, headers, signal) => {
    const {
      status,
      headers: given,
      body,
    } = await client.raw({ method: 'GET', path: base + path, headers, signal });
    return { status, headers: given, body };
  };
  const found = await reach(`Service ${namespace}/${name}`, ask, open, io);
  return 'api' in found ? found : { unreachable: noPods };
}

async function proxied(client: Client, path: string, signal: AbortSignal) {
  const response = await client.raw({ method: 'GET', path, headers: { accept: 'application/json' }, signal });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return { status: response.status, body: Buffer.concat(chunks).toString('utf8') };
}

async function reach(where: string, ask: Ask, open: Open, io: CommandIO): Promise<FoundOperator> {
  const get = async <T>(path: string): Promise<T | undefined> => {
    const { status, body } = await timed(ask, `${API_PATH}${path}`, io);
    if (status === 404) return undefined;
    if (status !== 200) throw new CommandFailure(`${where} answered ${status}: ${body.slice(0, 200).trim()}`);
    return JSON.parse(body) as T;
  };
  try {
    const { status, body } = await timed(ask, `${API_PATH}status`, io);
    if (status !== 200) {
      const hint = 'webhook mode, another program, or a Service without endpoints';
      return { unreachable: `no answer at /api/v1/status (${hint}): ${status} ${body.slice(0, 200).trim()}` };
    }
    return { api: { where, status: JSON.parse(body) as StatusAnswer, get, open } };
  } catch (error) {
    if (io.signal.aborted) throw error;
    return { unreachable: firstLine(error) };
  }
}

async function timed(ask: Ask, path: string, { clock, signal }: CommandIO): ReturnType<Ask> {
  const ended = new AbortController();
  const patience = sleep(clock, PATIENCE_MS, AbortSignal.any([signal, ended.signal])).then(
    () => ended.abort(new RequestTimeoutError(`no answer within ${PATIENCE_MS / 1000} s`)),
    () => undefined,
  );
  try {
    return await ask(path, AbortSignal.any([signal, ended.signal]));
  } catch (error) {
    // The proxy passes on the operator's answer, and the client turns a 404 into an error.
    if (error instanceof ApiError && error.code === 404) return { status: 404, body: error.message };
    if (ended.signal.aborted) throw ended.signal.reason;
    throw error;
  } finally {
    ended.abort();
    await patience;
  }
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  const refused = error instanceof ConnectionError ? 'no connection: ' : '';
  return `${refused}${text.split('\n')[0]}${cause}`;
}
