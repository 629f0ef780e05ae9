/**
 * `reloader rotate-key`: replaces the digest key without a restart of any workload.
 *
 * The new key is written beside the old one. After a restart, the operator compares records of the old key by the old
 * key, and records them with the new one. So a change that is made meanwhile is not lost, and unchanged sources cause
 * nothing. With `--finish` the old key is removed.
 */
import { AlreadyExistsError, type Client, kinds, NotFoundError } from '@reloader/runtime';
import { DIGEST_KEY_NAME, KEY_FIELD, newKey, PREVIOUS_KEY_FIELD } from '../../reloader/digest/key.ts';
import type { CommandIO, ConnectOptions } from '../command-io.ts';
import { CommandFailure } from '../failure.ts';
import { installedSettings } from '../installed.ts';
import { findOperatorNamespace } from '../operator-namespace.ts';
import { clusterOf, withSession } from '../session.ts';

export interface RotateKeyOptions extends ConnectOptions {
  readonly operatorNamespace?: string;
  readonly finish?: boolean;
}

export function rotateKeyCommand(options: RotateKeyOptions, io: CommandIO): Promise<void> {
  return withSession(options, io, async (session) => {
    const { client } = clusterOf(session);
    const { signal, print } = io;
    const home = await findOperatorNamespace(client, options.operatorNamespace, signal);
    const { settings } = await installedSettings(client, home, signal);
    const { operatorNamespace: namespace, operatorName } = settings.reloader;
    const key = { namespace, name: DIGEST_KEY_NAME };
    const where = `Secret ${namespace}/${DIGEST_KEY_NAME}`;
    if (options.finish) {
      await forgetPrevious(client, key, where, signal);
      print(`The key before the last rotation was taken out of ${where}\n`);
      return;
    }
    await rotate(client, key, where, signal);
    print(
      `A new key stands in ${where}, beside the old one. Start the operator again, then it is used; no workload restarts because of it:\n\n` +
        `  kubectl rollout restart -n ${namespace} deployment/${operatorName}\n\n` +
        'When "reloader status" answers again, take the old key away:\n\n' +
        `  ${io.programName} rotate-key --finish\n`,
    );
  });
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

async function rotate(client: Client, key: Place, where: string, signal: AbortSignal): Promise<void> {
  const next = newKey().toString('base64');
  const secret = await found(client.get(kinds.Secret, key, { signal }));
  if (!secret) return moveFromConfigMap(client, key, next, signal);
  const { data = {} } = secret;
  const old = data[KEY_FIELD];
  if (old === undefined)
    throw new CommandFailure(`${where} has no "${KEY_FIELD}": delete it, and the operator makes a new one`);
  if (data[PREVIOUS_KEY_FIELD] !== undefined) {
    throw new CommandFailure(
      `The last rotation is not finished: when the operator has run with the new key, take the old one away with rotate-key --finish`,
    );
  }
  await client.update(
    kinds.Secret,
    { ...secret, data: { ...data, [KEY_FIELD]: next, [PREVIOUS_KEY_FIELD]: old } },
    { signal },
  );
}

/** For a key that the operator could only keep in a ConfigMap: creates a Secret with a new key and the old one. */
async function moveFromConfigMap(
  client: Client,
  key: Place,
  next: string,
  signal: AbortSignal,
): Promise<void> {
  const map = await found(client.get(kinds.ConfigMap, key, { signal }));
  const old = map?.data?.[KEY_FIELD];
  if (old === undefined) {
    throw new CommandFailure(
      `There is neither a Secret nor a ConfigMap ${key.namespace}/${key.name}, so there is no key to rotate: name the operator's namespace with --operator-namespace`,
    );
  }
  const metadata = { ...key, labels: { 'app.kubernetes.io/managed-by': 'reloader' } };
  const data = { [KEY_FIELD]: next, [PREVIOUS_KEY_FIELD]: old };
  try {
    await client.create(kinds.Secret, { metadata, type: 'Opaque', data }, { signal });
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
    throw new CommandFailure('Somebody else made the Secret just now: run the command again');
  }
}

async function forgetPrevious(client: Client, key: Place, where: string, signal: AbortSignal): Promise<void> {
  const secret = await found(client.get(kinds.Secret, key, { signal }));
  const { [PREVIOUS_KEY_FIELD]: previous, ...data } = secret?.data ?? {};
  if (!secret || previous === undefined)
    throw new CommandFailure(`${where} holds no key of before: there is nothing to finish`);
  await client.update(kinds.Secret, { ...secret, data }, { signal });
}

async function found<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
