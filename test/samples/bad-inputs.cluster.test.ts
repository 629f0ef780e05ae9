/** The same bad inputs on a real control plane: its own refusals, and the operator's messages on its objects. */
import { type Client, createClient, discover, kinds, loadConfig } from '@reloader/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poll } from '../control-plane/poll.ts';
import { useControlPlane } from '../control-plane/vitest.ts';
import { workload } from '../reloader/objects.ts';
import { BAD_INPUTS } from './bad-inputs.ts';
import { operateOn } from './real-operator.ts';

const NAMESPACE = 'shop';
const PATIENCE = { timeout: 30_000, every: 200 };
const named = BAD_INPUTS.map((input, index) => ({
  ...input,
  object: {
    ...input.object,
    metadata: { ...input.object.metadata, namespace: NAMESPACE, name: `bad-${index}` },
  },
}));

interface SomeEvent {
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
}
interface Told {
  readonly status?: {
    readonly conditions?: readonly { readonly reason: string; readonly message: string }[];
  };
}

const cluster = useControlPlane({ workloads: true });
const refusals = new Map<string, unknown>();
let client: Client;
let stop: (() => Promise<void>) | undefined;

beforeAll(async () => {
  stop = await operateOn(cluster());
  client = createClient({ config: await loadConfig({ kubeconfig: cluster().kubeconfig }) });
  await client.create(kinds.Namespace, { metadata: { name: NAMESPACE } });
  await client.create(kinds.Secret, { metadata: { namespace: NAMESPACE, name: 'db' } });
  await client.create(kinds.Deployment, workload('Deployment', 'web', NAMESPACE, {}));
  const discovery = await discover(client);
  for (const { object } of named) {
    const { apiVersion = '', kind = '' } = object;
    const type = await discovery.resolveKind({ apiVersion, kind });
    await client
      .create(type, object, { fieldValidation: 'Strict' })
      .catch((error: unknown) => refusals.set(object.metadata.name, error));
  }
}, 300_000);
afterAll(async () => {
  await client?.close();
  await stop?.();
});

describe('refused when it is applied', () => {
  test.each(named.filter(({ refused }) => refused))('$object.kind: $what', ({ object, refused }) => {
    expect(String(refusals.get(object.metadata.name))).toMatch(refused as RegExp);
  });
});

/** Waits until the final message about the object matches. */
async function expectSaid(said: () => Promise<string>, expected: RegExp | undefined): Promise<void> {
  const isSaid = async (): Promise<boolean> => expected?.test(await said()) === true;
  await poll(isSaid, { what: 'the message', ...PATIENCE }).catch(async () =>
    expect(await said()).toMatch(expected as RegExp),
  );
}

describe('told in a condition', () => {
  test.each(named.filter(({ told }) => told))('$object.kind: $what', async ({ object, told }) => {
    expect(refusals.get(object.metadata.name)).toBeUndefined();
    const { apiVersion = '', kind = '' } = object;
    const type = await (await discover(client)).resolveKind({ apiVersion, kind });
    await expectSaid(async () => {
      const { status } = (await client.get(type, object.metadata)) as Told;
      return (status?.conditions ?? []).map(({ reason, message }) => `${reason}: ${message}`).join('\n');
    }, told);
  });
});

describe('told by an Event', () => {
  test.each(named.filter(({ event }) => event))('$object.kind: $what', async ({ object, event }) => {
    await expectSaid(async () => {
      const { items } = await client.list(kinds.CoreEvent, { namespace: NAMESPACE });
      return (items as unknown as SomeEvent[])
        .filter(({ involvedObject: about }) => about?.name === object.metadata.name)
        .filter(({ type }) => type === 'Warning')
        .map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
        .join('\n');
    }, event);
  });
});
