/** `reloader ui`: the page in a browser, with the rights of the user who starts it. */

import { resolve } from 'node:path';
import { act } from '../../api/actions.ts';
import type { Explanation, MeAnswer } from '../../api/shapes.ts';
import type { WorkloadRef } from '../../reloader/model/workload.ts';
import { UsageError } from '../../settings/usage-error.ts';
import type { CommandIO } from '../command-io.ts';
import { CommandFailure } from '../failure.ts';
import { installedSettings } from '../installed.ts';
import type { Open } from '../open-request.ts';
import { operatorOf, type Session, type SessionOptions, withSession } from '../session.ts';
import { openDoor } from '../ui/door.ts';
import { annotate, whoAmI } from '../ui/person.ts';

export interface UiOptions extends SessionOptions {
  readonly port?: string;
  /** `--no-open` */
  readonly open?: boolean;
}

export function uiCommand(options: UiOptions, io: CommandIO): Promise<void> {
  const port = portOf(options.port);
  return withSession(options, io, async (session) => {
    const { signal, print, openInBrowser } = io;
    const operator = new Operator(session);
    // If the operator cannot be reached, the error appears here and not in the browser.
    await operator.find();
    const client = session.connection?.client;
    const door = await openDoor({
      port,
      open: (path, headers, each) => operator.open(path, headers, each),
      me: async () => ({ ...(await whoAmI(client, signal)), ...kubectlOptions(options) }),
      act: (name, body) =>
        act(name, body, {
          annotate: async (subject, annotations) =>
            annotate(client, subject, annotations, signal, (await whoAmI(client, signal)).user),
          operatorNamespace: () => operatorNamespace(session),
          explain: (workload) => operator.explain(workload, signal),
        }),
    }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new CommandFailure(`--port ${port}: another program listens there`);
    });
    print(
      `${door.address}\nCtrl-C ends it. Anyone with the address has your rights on the page: keep it to yourself.\n`,
    );
    if (options.open !== false) openInBrowser(door.address);
    await new Promise<void>((done) => {
      if (signal.aborted) done();
      else signal.addEventListener('abort', () => done(), { once: true });
    });
    await door.close();
  });
}

/** Commands that the page shows are for the cluster that it shows. */
function kubectlOptions({ kubeconfig, context }: UiOptions): Pick<MeAnswer, 'kubectl'> {
  const given = [
    ...(kubeconfig === undefined ? [] : [`--kubeconfig=${resolve(kubeconfig)}`]),
    ...(context === undefined ? [] : [`--context=${context}`]),
  ];
  return given.length > 0 ? { kubectl: given } : {};
}

function portOf(text = '0'): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port ${text} is no port number`);
}

/** The connection to the operator, which is looked up again after its pod was replaced. */
class Operator {
  readonly #session: Session;
  #way: Promise<Open> | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  find(): Promise<Open> {
    this.#way ??= this.#look().catch((error: unknown) => {
      this.#way = undefined;
      throw error;
    });
    return this.#way;
  }

  async open(...[path, headers, signal]: Parameters<Open>): ReturnType<Open> {
    const open = await this.find();
    try {
      return await open(path, headers, signal);
    } catch (error) {
      this.#way = undefined;
      throw error;
    }
  }

  async explain(
    { kind, namespace, name }: WorkloadRef,
    signal: AbortSignal,
  ): Promise<Explanation | undefined> {
    const path = [kind, namespace, name].map(encodeURIComponent).join('/');
    const { status, body } = await this.open(`/api/v1/workloads/${path}`, {}, signal);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return status === 200 ? (JSON.parse(Buffer.concat(chunks).toString()) as Explanation) : undefined;
  }

  async #look(): Promise<Open> {
    const found = await operatorOf(this.#session);
    if ('api' in found) return found.api.open;
    throw new CommandFailure(`The operator cannot be asked: ${found.unreachable}`);
  }
}

async function operatorNamespace({ connection, options, io }: Session): Promise<string> {
  if (options.operatorNamespace !== undefined || !connection) return options.operatorNamespace ?? 'reloader';
  const { settings } = await installedSettings(connection.client, undefined, io.signal);
  return settings.reloader.operatorNamespace;
}
