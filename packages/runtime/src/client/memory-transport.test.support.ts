/** A transport with answers scripted by the test; it records the requests. */
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: string | object | AsyncIterable<Uint8Array>;
}

export type Handler = (request: TransportRequest, index: number) => Answer | Error | Promise<Answer | Error>;

export interface MemoryTransport extends Transport {
  readonly requests: TransportRequest[];
  readonly last: TransportRequest;
  closed: boolean;
}

/** A list of answers is returned one by one, the last one repeatedly. */
export function memoryTransport(answers: Handler | readonly (Answer | Error)[]): MemoryTransport {
  const handler: Handler =
    typeof answers === 'function'
      ? answers
      : (_, index) => answers[Math.min(index, answers.length - 1)] ?? {};
  const requests: TransportRequest[] = [];
  return {
    requests,
    closed: false,
    get last() {
      const last = requests.at(-1);
      if (!last) throw new Error('Nothing was asked yet');
      return last;
    },
    async request(request) {
      requests.push(request);
      const answer = await abortedOr(request.signal, handler(request, requests.length - 1));
      if (answer instanceof Error) throw answer;
      return responseFrom(answer);
    },
    async close() {
      this.closed = true;
    },
  };
}

/** Never answers; rejects with the signal's reason. */
export const never: Handler = () => new Promise(() => {});

function abortedOr<T>(signal: AbortSignal | undefined, value: T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    Promise.resolve(value).then(resolve, reject);
  });
}

function responseFrom({ status = 200, headers = {}, body = {} }: Answer): TransportResponse {
  const content = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers, body: isIterable(body) ? body : once(content) };
}

function isIterable(body: Answer['body']): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && Symbol.asyncIterator in body;
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
