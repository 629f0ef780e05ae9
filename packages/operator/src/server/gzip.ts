/** Whether a client takes compressed answers. */
import type { IncomingMessage } from 'node:http';

/** `gzip;q=0` refuses it. */
export function takesGzip(headers: IncomingMessage['headers']): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(headers['accept-encoding'] ?? ''));
}
