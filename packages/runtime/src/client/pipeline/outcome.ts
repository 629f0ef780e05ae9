/** Turns error answers into typed errors whose messages say what to do. */
import type { Clock } from '../../clock/clock.ts';
import type { Status } from '../../model/types.ts';
import { isRecord, readBytes, readText } from '../decode/json.ts';
import { apiErrorFrom } from '../errors.ts';
import { envelopeOf, isProtobuf, statusOf as statusOfMessage } from '../protobuf/envelope.ts';
import { MessageReader } from '../protobuf/message.ts';
import { apiVersionOf, resourceName } from '../resource.ts';
import type { TransportResponse } from '../transport.ts';
import type { ClientRequest, Send } from './request.ts';

/** A Status is small; an HTML page from a proxy is not worth reading to its end. */
const MAX_STATUS_BYTES = 256 * 1024;
const EXCERPT_LENGTH = 200;

export function checked(source: string, clock: Clock, next: Send): Send {
  return async (request) => {
    const response = await next(request);
    if (response.status >= 200 && response.status < 300) return response;
    const { status, served } = await statusOf(response);
    const retryAfterMs = retryAfter(response.headers['retry-after'], clock);
    const advice = isRefusedByWebhook(status)
      ? undefined
      : adviceFor(status.code ?? 0, served, request, source);
    throw apiErrorFrom(status, {
      request: request.summary,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(advice !== undefined && { advice }),
    });
  };
}

interface Answer {
  readonly status: Status;
  /** False if the server does not even know the path. */
  readonly served: boolean;
}

async function statusOf(response: TransportResponse): Promise<Answer> {
  const code = response.status;
  if (isProtobuf(response.headers))
    return { status: { ...(await protobufStatus(response)), code }, served: true };
  const text = await readText(response.body, MAX_STATUS_BYTES, 'The answer').catch(() => '');
  const document = parsed(text);
  if (isRecord(document) && document.kind === 'Status') {
    return { status: { ...(document as Status), code: (document as Status).code ?? code }, served: true };
  }
  if (code === 404) {
    const message = 'the server could not find the requested resource';
    return { status: { code, reason: 'NotFound', message }, served: false };
  }
  const excerpt = text.replace(/\s+/g, ' ').trim().slice(0, EXCERPT_LENGTH);
  return { status: { code, message: excerpt || 'the server gave no reason' }, served: true };
}

async function protobufStatus({ body }: TransportResponse): Promise<Status> {
  try {
    const bytes = await readBytes(body, MAX_STATUS_BYTES, 'The answer');
    const { start, end } = envelopeOf(bytes, 0, bytes.length);
    return statusOfMessage(new MessageReader(bytes, start, end));
  } catch {
    return { message: 'the server gave no reason that can be read' };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** No role would help; the webhook's message says what would. */
const isRefusedByWebhook = ({ message = '' }: Status): boolean =>
  /admission webhook "[^"]*" denied/.test(message);

function adviceFor(
  code: number,
  served: boolean,
  request: ClientRequest,
  source: string,
): string | undefined {
  const { type, verb } = request;
  if (code === 401) {
    return `the credentials of ${source} are not accepted, log in again or renew the token or certificate`;
  }
  if (!type) return undefined;
  if (code === 403) {
    // The summary names the subresource, which is a right of its own: `patch widgets.example.com/status "a/x"`.
    const [, subresource = ''] = /^\S+ [^\s/]+(\/\S+)/.exec(request.summary) ?? [];
    return `give this user the verb ${rbacVerb(verb)} on ${resourceName(type)}${subresource} by a Role or ClusterRole and its binding`;
  }
  if (code === 404 && !served) {
    return `${resourceName(type)} are not served in ${apiVersionOf(type)}, install their CustomResourceDefinition or check group and version`;
  }
  return undefined;
}

function rbacVerb(verb: ClientRequest['verb']): string {
  return verb === 'apply' ? 'patch' : verb;
}

/** Seconds, or a date. */
export function retryAfter(header: string | undefined, clock: Clock): number | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - clock.now() : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
