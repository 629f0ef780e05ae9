/**
 * Actions on the page by people with a token.
 *
 * In: an action, its body and the token. Out: one annotation, written by the operator's account. Guarantees: Kubernetes
 * is asked each time whether this person may patch exactly that object, and its answer is not cached; for people who
 * may not even read the namespace it is not asked. The person's name is recorded in managedFields (so in the audit log,
 * too) and in an Event about the object.
 */
import {
  type Client,
  type EventRecorder,
  ForbiddenError,
  referenceTo,
  reviewCaller,
  TooManyReviewsError,
} from '@reloader/runtime';
import {
  type Acted,
  ActionRefusedError,
  type ActOptions,
  type Annotations,
  act,
  managerOf,
  type Subject,
} from '../api/actions.ts';
import { deniedText, type Reader } from '../api/reader.ts';
import { API_PATH, type Api } from '../api/routes.ts';
import type { ActionName, Explanation } from '../api/shapes.ts';
import { actionRate } from './action-http.ts';

export interface TokenActionsOptions {
  readonly client: Client;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly operatorNamespace: string;
  readonly api: () => Api | undefined;
}

export interface Caller {
  readonly token: string | undefined;
  readonly reader: Reader;
  readonly signal: AbortSignal;
}

/** The number of callers with a rate limit of their own; beyond that the oldest is forgotten. */
const MOST_CALLERS = 1_000;

const TOLD: Readonly<Record<ActionName, { readonly reason: string; readonly did: string }>> = {
  freeze: { reason: 'Frozen', did: 'froze it' },
  unfreeze: { reason: 'Unfrozen', did: 'unfroze it' },
  approve: { reason: 'Approved', did: 'approved the change that waits' },
  now: { reason: 'ReleasedNow', did: 'let the change that waits through' },
};

export class TokenActions {
  readonly #options: TokenActionsOptions;
  readonly #rates = new Map<string, () => boolean>();

  constructor(options: TokenActionsOptions) {
    this.#options = options;
  }

  /** True at most `MOST_IN_A_MINUTE` times within a minute for each caller. */
  mayAct({ reader }: Pick<Caller, 'reader'>): boolean {
    const known = this.#rates.get(reader.id) ?? actionRate();
    this.#rates.set(reader.id, known);
    for (const oldest of this.#rates.keys()) {
      if (this.#rates.size <= MOST_CALLERS) break;
      this.#rates.delete(oldest);
    }
    return known();
  }

  async act(name: string, body: unknown, caller: Caller): Promise<Acted> {
    try {
      return await act(name, body, this.#optionsFor(caller));
    } catch (error) {
      if (error instanceof TooManyReviewsError) return { status: 503, body: { error: error.message } };
      throw error;
    }
  }

  #optionsFor(caller: Caller): ActOptions {
    return {
      operatorNamespace: async () => this.#options.operatorNamespace,
      explain: ({ kind, namespace, name }) => this.#explain([kind, namespace, name], caller),
      annotate: (subject, annotations, action) => this.#annotate(subject, annotations, action, caller),
    };
  }

  /** The API's answer to this caller, refusals included. */
  async #explain(parts: readonly string[], { reader, signal }: Caller): Promise<Explanation | undefined> {
    const api = this.#options.api();
    if (!api) throw new ActionRefusedError(503, 'Not ready yet');
    const path = `${API_PATH}workloads/${parts.map(encodeURIComponent).join('/')}`;
    const { status, body } = await api({ method: 'GET', path, query: new URLSearchParams(), reader, signal });
    if (status === 404) return undefined;
    if (status !== 200) throw new ActionRefusedError(status, (body as { error: string }).error);
    return body as Explanation;
  }

  async #annotate(
    { type, key }: Subject,
    annotations: Annotations,
    action: ActionName,
    { token, reader, signal }: Caller,
  ): Promise<void> {
    const { client, events } = this.#options;
    const { name, namespace } = key;
    const read = await reader.mayRead(namespace ?? name);
    if (read !== 'allowed') throw refusal(read, deniedText(namespace ?? name));
    const resource = { group: type.group, resource: type.plural, ...key };
    const { verdict, user = '' } = await reviewCaller(client, { token, verb: 'patch', resource });
    if (verdict !== 'allowed') throw refusal(verdict, `This takes the right to patch ${type.plural} ${name}`);
    const body = { metadata: { annotations } };
    try {
      const written = await client.patch(
        type,
        key,
        { type: 'merge', body },
        { fieldManager: managerOf(user), signal },
      );
      const { reason, did } = TOLD[action];
      events.record(referenceTo(type, written), 'Normal', reason, `${user} ${did} on the page`);
    } catch (error) {
      if (!(error instanceof ForbiddenError)) throw error;
      throw new ActionRefusedError(
        403,
        `The operator's own account may not patch ${type.plural}: do it with kubectl, or grant that${type.plural === 'namespaces' ? ' (reloader.ui.freezeNamespaces in the chart)' : ''}`,
      );
    }
  }
}

function refusal(verdict: 'unauthenticated' | 'forbidden', text: string): ActionRefusedError {
  return verdict === 'unauthenticated'
    ? new ActionRefusedError(401, 'A valid bearer token is needed')
    : new ActionRefusedError(403, text);
}
