/** Writes a CA into webhook configurations, touching nothing else in them. */
import type { Client, JsonPatchOperation } from '../client/client.ts';
import { ConflictError, InvalidError } from '../client/errors.ts';
import type { ResourceType } from '../client/resource.ts';
import type { Clock } from '../clock/clock.ts';
import type { KubernetesObject } from '../model/types.ts';
import { retryOnConflict } from '../objects/conflict.ts';
import { getIfExists } from '../objects/read.ts';

/** A webhook configuration that gets our authority's certificate. */
export interface WebhookConfigurationRef {
  readonly kind: 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration';
  readonly name: string;
  /** Only the webhooks with these names. Default: all in the configuration. */
  readonly webhooks?: readonly string[];
}

export interface WebhookConfiguration extends KubernetesObject {
  webhooks?: { name: string; clientConfig: { caBundle?: string; url?: string; service?: object } }[];
}

const PLURALS = {
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
} as const;

export function webhookConfigurations(
  kind: WebhookConfigurationRef['kind'],
): ResourceType<WebhookConfiguration> {
  return {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind,
    plural: PLURALS[kind],
    namespaced: false,
  };
}

/** `absent` if the configuration does not exist (yet): its owner will create it, and we check again later. */
export async function trustAuthority(
  client: Client,
  reference: WebhookConfigurationRef,
  caBundle: string,
  options: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<'patched' | 'none' | 'absent'> {
  const type = webhookConfigurations(reference.kind);
  const { signal } = options;
  const wanted = Buffer.from(caBundle).toString('base64');
  return await retryOnConflict(async () => {
    const live = await getIfExists(client, type, { name: reference.name }, signal);
    if (!live) return 'absent';
    const operations = (live.webhooks ?? []).flatMap(
      ({ name, clientConfig }, index): JsonPatchOperation[] => {
        if (reference.webhooks && !reference.webhooks.includes(name)) return [];
        if (clientConfig.caBundle === wanted) return [];
        return [
          // The list may have changed since: test that the index still holds this webhook.
          { op: 'test', path: `/webhooks/${index}/name`, value: name },
          { op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: wanted },
        ];
      },
    );
    if (operations.length === 0) return 'none';
    try {
      await client.patch(type, { name: reference.name }, { type: 'json', operations }, { signal });
      return 'patched';
    } catch (error) {
      throw error instanceof InvalidError ? new ConflictError(error.status) : error;
    }
  }, options);
}
