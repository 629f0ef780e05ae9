/**
 * The webhook URL of a channel that keeps it in a Secret. It is read from the API server for each message and kept only
 * while that message is sent, so a rotated Secret takes effect with the next message.
 *
 * A user who may write a ReloaderConfig may not be allowed to read Secrets. So the message is the same whether the
 * Secret is missing, lacks the key, holds no URL, or may not be read by the operator. The log says which.
 */
import { type Client, ForbiddenError, kinds, NotFoundError } from '@reloader/runtime';
import type { ChannelFacts } from '../reloader/model/config.ts';
import { DeliveryError } from './delivery/error.ts';

type SecretRef = NonNullable<ChannelFacts['secretRef']>;

/** Rejects with a `DeliveryError` that names the Secret and repeats nothing of its content. */
export async function urlFromSecret(client: Client, ref: SecretRef, signal: AbortSignal): Promise<URL> {
  const { namespace, name, key } = ref;
  const { data = {} } = await client
    .get(kinds.Secret, { namespace, name }, { signal })
    .catch((error: unknown) => {
      throw refusalOf(error, ref);
    });
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (typeof value !== 'string') throw unusable(ref, `it has no key "${key}"`);
  const url = urlIn(Buffer.from(value, 'base64').toString('utf8').trim());
  if (!url) throw unusable(ref, 'what stands there is no URL that begins with http:// or https://');
  return url;
}

/** `where` names the field; its value is not repeated, because its author knows it. */
export function parseUrl(text: string, where: string): URL {
  const url = urlIn(text);
  if (url) return url;
  throw new DeliveryError(`${where} is no URL that begins with http:// or https://`, {
    retry: false,
    told: 'as it is',
  });
}

function urlIn(text: string): URL | undefined {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

function refusalOf(error: unknown, ref: SecretRef): DeliveryError {
  if (error instanceof NotFoundError) return unusable(ref, 'it does not exist');
  if (error instanceof ForbiddenError)
    return unusable(ref, `it may not be read: let the operator get Secrets in namespace ${ref.namespace}`);
  return new DeliveryError(`Secret ${ref.namespace}/${ref.name} could not be read`, {
    retry: true,
    told: 'as it is',
  });
}

function unusable({ namespace, name, key }: SecretRef, why: string): DeliveryError {
  const told = `no URL can be read from key "${key}" of Secret ${namespace}/${name}: it must exist, hold a URL that begins with http:// or https://, and be readable for the operator`;
  return new DeliveryError(`Secret ${namespace}/${name} cannot be used: ${why}`, { retry: false, told });
}
