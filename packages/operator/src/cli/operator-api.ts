/**
 * The running operator, asked by a command.
 *
 * In: a connection to the cluster, or an address. Out: its `/api/v1`, or why it cannot be reached. It is found as the
 * Service with the label `app.kubernetes.io/name=reloader` or the name `reloader`, and asked through the API server's
 * proxy, so the caller needs the right to `get services/proxy` there and nothing else.
 */
import { ApiError, type Client, ConnectionError, kinds, RequestTimeoutError, sleep } from '@reloader/runtime';
import { API_PATH } from '../api/routes.ts';
import type { StatusAnswer } from '../api/shapes.ts';
import { CommandFailure } from './failure.ts';
import type { Connection, Surroundings } from './surroundings.ts';

export interface OperatorApi {
  readonly where: string;
  readonly status: StatusAnswer;
  /** Undefined where the operator does not know it. */
  get<T>(path: string): Promise<T | undefined>;
}

export type FoundOperator = { readonly api: OperatorApi } | { readonly unreachable: string };

export interface OperatorOptions {
  /** `--operator`: its address. */
  readonly operator?: string;
  /** `--operator-namespace`: where its Service is looked for. */
  readonly operatorNamespace?: string;
}

const LABEL = 'app.kubernetes.io/name=reloader';
const NAME = 'reloader';
const PORT = 9090;
const PATIENCE_MS = 10_000;

type Ask = (path: string, signal: AbortSignal) => Promise<{ readonly status: number; readonly body: string }>;

/** With an address, it must answer: an error says why it did not. */
export async function findOperator(
  connection: Connection | undefined,
  options: OperatorOptions,
  surroundings: Surroundings,
): Promise<FoundOperator> {
  const { operator } = options;
  if (operator !== undefined) {
    const base = operator.replace(/\/+$/, '');
    const found = await reach(
      operator,
      (path, signal) => surroundings.fetch(base + path, signal),
      surroundings,
    );
    if ('unreachable' in found) {
      throw new CommandFailure(`The operator does not answer at ${operator}: ${found.unreachable}`);
    }
    return found;
  }
  if (!connection) return { unreachable: 'no cluster and no --operator were given' };
  const services = await servicesOf(connection.client, options, surroundings.signal);
  if (typeof services === 'string') return { unreachable: services };
  let why = '';
  for (const { namespace, name, port } of services) {
    const base = `/api/v1/namespaces/${namespace}/services/${name}:${port}/proxy`;
    const where = `Service ${namespace}/${name}`;
    const found = await reach(
      where,
      (path, signal) => proxied(connection.client, base + path, signal),
      surroundings,
    );
    if ('api' in found) return found;
    why ||= `${where}: ${found.unreachable}`;
  }
  return { unreachable: why };
}

interface ServicePlace {
  readonly namespace: string;
  readonly name: string;
  readonly port: string | number;
}

/** Or why none was found. */
async function servicesOf(
  client: Client,
  { operatorNamespace }: OperatorOptions,
  signal: AbortSignal,
): Promise<readonly ServicePlace[] | string> {
  const inNamespace = operatorNamespace === undefined ? {} : { namespace: operatorNamespace };
  try {
    const { items } = await client.list(kinds.Service, { ...inNamespace, labelSelector: LABEL, signal });
    if (items.length > 0) return items.map(placeOf);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  const namespace = operatorNamespace ?? NAME;
  try {
    return [placeOf(await client.get(kinds.Service, { namespace, name: NAME }, { signal }))];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `no Service with the label ${LABEL} and none named ${namespace}/${NAME} can be seen: name its namespace with --operator-namespace, or its address with --operator`;
  }
}

function placeOf({
  metadata,
  spec,
}: {
  metadata: { namespace?: string; name: string };
  spec?: unknown;
}): ServicePlace {
  const ports = (spec as { ports?: { name?: string; port?: number }[] } | undefined)?.ports ?? [];
  const port =
    ports.find(({ name }) => name === 'http') ?? ports.find((each) => each.port === PORT) ?? ports[0];
  return { namespace: metadata.namespace ?? '', name: metadata.name, port: port?.name ?? port?.port ?? PORT };
}

async function proxied(client: Client, path: string, signal: AbortSignal) {
  const response = await client.raw({ method: 'GET', path, headers: { accept: 'application/json' }, signal });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return { status: response.status, body: Buffer.concat(chunks).toString('utf8') };
}

async function reach(where: string, ask: Ask, surroundings: Surroundings): Promise<FoundOperator> {
  const get = async <T>(path: string): Promise<T | undefined> => {
    const { status, body } = await timed(ask, `${API_PATH}${path}`, surroundings);
    if (status === 404) return undefined;
    if (status !== 200) throw new CommandFailure(`${where} answered ${status}: ${body.slice(0, 200).trim()}`);
    return JSON.parse(body) as T;
  };
  try {
    const { status, body } = await timed(ask, `${API_PATH}status`, surroundings);
    if (status !== 200) {
      const hint = 'webhook mode, another program, or a Service without endpoints';
      return { unreachable: `no answer at /api/v1/status (${hint}): ${status} ${body.slice(0, 200).trim()}` };
    }
    return { api: { where, status: JSON.parse(body) as StatusAnswer, get } };
  } catch (error) {
    if (surroundings.signal.aborted) throw error;
    return { unreachable: firstLine(error) };
  }
}

async function timed(ask: Ask, path: string, { clock, signal }: Surroundings): ReturnType<Ask> {
  const ended = new AbortController();
  const patience = sleep(clock, PATIENCE_MS, AbortSignal.any([signal, ended.signal])).then(
    () => ended.abort(new RequestTimeoutError(`no answer within ${PATIENCE_MS / 1000} s`)),
    () => undefined,
  );
  try {
    return await ask(path, AbortSignal.any([signal, ended.signal]));
  } catch (error) {
    // The proxy hands on what the operator answered; the client makes errors of it.
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
