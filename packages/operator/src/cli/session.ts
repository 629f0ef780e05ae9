/** One command on one cluster: its connection, its namespace, and the operator if it can be reached. */
import { ConfigError } from '@reloader/runtime';
import type { CommandIO, Connection, ConnectOptions } from './command-io.ts';
import { CommandFailure } from './failure.ts';
import { type FoundOperator, findOperator, type OperatorApi, type OperatorOptions } from './operator-api.ts';
import { withProgress } from './progress.ts';

export interface SessionOptions extends ConnectOptions, OperatorOptions {
  readonly namespace?: string;
}

export interface Session {
  /** Undefined if only the address of an operator was given. */
  readonly connection: Connection | undefined;
  readonly namespace: string;
  readonly io: CommandIO;
  readonly options: SessionOptions;
}

export async function withSession<T>(
  options: SessionOptions,
  io: CommandIO,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const connection = await connect(options, io);
  const namespace = options.namespace ?? connection?.namespace ?? 'default';
  try {
    return await work({ connection, namespace, io, options });
  } finally {
    await connection?.client.close();
  }
}

async function connect(
  options: SessionOptions,
  { connect: open }: CommandIO,
): Promise<Connection | undefined> {
  try {
    return await open(options);
  } catch (error) {
    const dispensable = options.operator !== undefined && options.kubeconfig === undefined;
    if (dispensable && error instanceof ConfigError) return undefined;
    throw error;
  }
}

export function clusterOf({ connection }: Session): Connection {
  if (connection) return connection;
  throw new CommandFailure('This needs a cluster: give --kubeconfig, or set KUBECONFIG');
}

export function operatorOf({ connection, namespace, options, io }: Session): Promise<FoundOperator> {
  return withProgress('Asking the operator', io, () => findOperator(connection, options, io, namespace));
}

/** The origin of an answer, for people and for `-o json`. */
export interface Provenance {
  readonly answeredBy: string;
  readonly limits: readonly string[];
}

export function byOperator({ where, status }: OperatorApi): Provenance {
  const standby =
    'A replica that stands by answered: what waits, and since when, only the leader knows exactly';
  return { answeredBy: where, limits: status.leading ? [] : [standby] };
}
