/** Requests to a minicluster in this process. */
import type { VirtualClock } from '@reloader/runtime/testing';
import type { Minicluster } from '../../src/minicluster.ts';
import { type Exchange, parseObject, warningTexts } from './connect.ts';

/** Every request comes a second after the one before: the order of managers depends on their time. */
export function connectInProcess(cluster: () => Minicluster, clock: VirtualClock): Exchange {
  return async (method, path, body, contentType = 'application/json') => {
    clock.advance(1000);
    const answer = await cluster()
      .transport()
      .request({
        method,
        path,
        headers: { 'content-type': contentType },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    const header = answer.headers.warning;
    return {
      code: answer.status,
      body: parseObject(Buffer.concat(chunks).toString()),
      warnings: warningTexts(Array.isArray(header) ? header.join(', ') : header),
    };
  };
}
