/** One HTTPS call of one webhook, and the meaning of its answer. Messages and codes are the API server's. */
import { request as httpsRequest } from 'node:https';
import { StatusError } from '../model/status.ts';
import type { ServiceReference, Webhook } from './configurations.ts';

export interface AdmissionResponse {
  readonly uid?: string;
  readonly allowed?: boolean;
  readonly status?: { readonly code?: number; readonly reason?: string; readonly message?: string };
  readonly patchType?: string;
  /** Base64 of a JSON patch. */
  readonly patch?: string;
  readonly warnings?: readonly string[];
}

/**
 * The address of a Service: there are no endpoints here, so a test with a webhook behind a Service passes its
 * address.
 */
export type ServiceAddress = (service: ServiceReference) => string | undefined;

export async function callWebhook(
  webhook: Webhook,
  review: { readonly request: { readonly uid: string } },
  serviceAddress: ServiceAddress,
): Promise<AdmissionResponse> {
  const text = await post(webhook, JSON.stringify(review), serviceAddress);
  const { response } = JSON.parse(text) as { response?: AdmissionResponse };
  if (!response) throw new Error('webhook response was absent');
  if (response.uid !== review.request.uid) {
    throw new Error(`expected response.uid="${review.request.uid}", got "${response.uid ?? ''}"`);
  }
  return response;
}

function post(webhook: Webhook, body: string, serviceAddress: ServiceAddress): Promise<string> {
  const { clientConfig, timeoutSeconds = 10 } = webhook;
  const { url, service, caBundle } = clientConfig;
  const address = url ?? targetOf(service, serviceAddress);
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(
      address,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        signal: AbortSignal.timeout(timeoutSeconds * 1000),
        ...(caBundle && { ca: Buffer.from(caBundle, 'base64') }),
        ...(service && { servername: `${service.name}.${service.namespace}.svc` }),
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          if (incoming.statusCode === 200) resolve(Buffer.concat(chunks).toString());
          else reject(new Error(`the server answered with ${incoming.statusCode}`));
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function targetOf(service: ServiceReference | undefined, serviceAddress: ServiceAddress): string {
  if (!service) throw new Error('the webhook has neither a url nor a service');
  const base = serviceAddress(service);
  if (base === undefined) {
    const name = `${service.namespace}/${service.name}`;
    throw new Error(
      `minicluster does not know where Service "${name}" is: give startMinicluster a serviceAddress, or the webhook a url`,
    );
  }
  return new URL(service.path ?? '/', base).href;
}

/** 403, or the webhook's own code. */
export function denied({ name }: Webhook, { status = {} }: AdmissionResponse): StatusError {
  const { code = 403, reason = code === 403 ? 'Forbidden' : '', message } = status;
  const why = message || reason;
  const text = message
    ? `admission webhook "${name}" denied the request: ${why}`
    : `admission webhook "${name}" denied the request without explanation`;
  return new StatusError(code, reason, text);
}

export function failedCalling({ name }: Webhook, error: unknown): StatusError {
  const why = error instanceof Error ? error.message : String(error);
  const text = `failed calling webhook "${name}": failed to call webhook: ${why}`;
  return new StatusError(500, 'InternalError', `Internal error occurred: ${text}`, {
    causes: [{ message: text }],
  });
}
