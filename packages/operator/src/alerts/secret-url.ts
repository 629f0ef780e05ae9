/**
 * The webhook of a channel that keeps it in a Secret: read when it is needed, from the server, and kept no longer than
 * the message takes. So a Secret that is rotated counts from the next message on.
 */
import { type Client, ForbiddenError, kinds, NotFoundError } from '@reloader/runtime';
import type { ChannelFacts } from '../reloader/model/config.ts';
import { DeliveryError } from './delivery/error.ts';

type SecretRef = NonNullable<ChannelFacts['secretRef']>;

/** Rejects with a `DeliveryError` that names the Secret and never repeats anything of it. */
export async function urlFromSecret(client: Client, ref: SecretRef, signal: AbortSignal): Promise<URL> {
  const { namespace, name, key } = ref;
  const { data = {} } = await client
    .get(kinds.Secret, { namespace, name }, { signal })
    .catch((error: unknown) => {
      throw refusalOf(error, ref);
    });
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (typeof value !== 'string')
    throw new DeliveryError(`Secret ${namespace}/${name} has no key "${key}"`, { retry: false });
  const text = Buffer.from(value, 'base64').toString('utf8').trim();
  return parseUrl(text, `key "${key}" of Secret ${namespace}/${name}`);
}

export function parseUrl(text: string, where: string): URL {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text);
  throw new DeliveryError(`${where} is no URL that begins with http:// or https://`, { retry: false });
}

function refusalOf(error: unknown, { namespace, name }: SecretRef): DeliveryError {
  if (error instanceof NotFoundError)
    return new DeliveryError(`Secret ${namespace}/${name} does not exist`, { retry: false });
  if (error instanceof ForbiddenError) {
    return new DeliveryError(
      `Secret ${namespace}/${name} may not be read: let the operator get Secrets in namespace ${namespace}`,
      { retry: false },
    );
  }
  return new DeliveryError(`Secret ${namespace}/${name} could not be read`, { retry: true });
}
