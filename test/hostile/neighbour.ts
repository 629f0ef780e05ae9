/** A tenant that is not part of the attack: a Deployment that must be rolled out whenever its Secret changes. */
import { type Client, kinds } from '@reloader/runtime';
import { poll } from '../control-plane/poll.ts';
import { workload } from '../reloader/objects.ts';

const POD_MS = 30_000;
/** How long it waits for a rollout; the caller checks the promised time. */
const PATIENCE_MS = 30_000;

export class Neighbour {
  readonly #client: Client;
  readonly #namespace: string;
  #changes = 0;

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** Creates its objects and waits for a started pod: only then a change causes a rollout. */
  async moveIn(): Promise<void> {
    const client = this.#client;
    await client.create(kinds.Secret, { metadata: this.#named('own'), stringData: { key: 'first' } });
    const options = { annotations: { auto: 'true' }, uses: [{ secret: 'own' }] };
    await client.create(kinds.Deployment, workload('Deployment', 'web', this.#namespace, options));
    const isUp = async (): Promise<boolean> => {
      const { status } = (await client.get(kinds.Deployment, this.#named('web'))) as { status?: Status };
      return status?.readyReplicas === 1;
    };
    await poll(isUp, { what: "the neighbour's pod", timeout: POD_MS });
  }

  /** Changes the Secret; resolves with the milliseconds until the Deployment was rolled out for it. */
  async change(): Promise<number> {
    const before = await this.#template();
    this.#changes += 1;
    const body = { stringData: { key: `value ${this.#changes}` } };
    const start = performance.now();
    await this.#client.patch(kinds.Secret, this.#named('own'), { type: 'merge', body });
    await poll(async () => (await this.#template()) !== before, {
      what: "the neighbour's rollout",
      timeout: PATIENCE_MS,
      every: 10,
    });
    return performance.now() - start;
  }

  async #template(): Promise<string> {
    const { spec } = (await this.#client.get(kinds.Deployment, this.#named('web'))) as { spec?: Spec };
    return JSON.stringify(spec?.template);
  }

  #named(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#namespace, name };
  }
}

interface Status {
  readonly readyReplicas?: number;
}

interface Spec {
  readonly template?: unknown;
}
