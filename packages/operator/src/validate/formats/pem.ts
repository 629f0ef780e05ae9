/** PEM: blocks have to be complete, and certificates among them readable and still valid. */
import { X509Certificate } from 'node:crypto';
import type { Mistake } from '../parsed.ts';

export interface PemAnswer {
  readonly mistakes: readonly Mistake[];
  /** Milliseconds since the epoch: when the first of its certificates is no longer valid for long enough. */
  readonly until?: number;
}

const BEGIN = '-----BEGIN ';
const MOST_BLOCKS = 200;
const LONGEST_LABEL = 64;

/** `expiresInMs`: how long certificates have to remain valid. */
export function checkPem(text: string, now: number, expiresInMs: number): PemAnswer {
  const blocks = blocksOf(text);
  if (!Array.isArray(blocks)) return { mistakes: [blocks] };
  const mistakes: Mistake[] = [];
  let until: number | undefined;
  let number = 0;
  for (const { label, body, line } of blocks) {
    if (!isBase64(body)) mistakes.push({ line, what: 'begins a block that is not base64' });
    if (label !== 'CERTIFICATE') continue;
    number += 1;
    const end = expiryOf(body);
    if (end === undefined) {
      mistakes.push({ line, what: `begins certificate ${number}, which cannot be read` });
      continue;
    }
    const last = end - expiresInMs;
    if (last <= now)
      mistakes.push({ line, what: `begins certificate ${number}, which ${expired(end <= now)}` });
    else until = Math.min(until ?? last, last);
  }
  return { mistakes, ...(until !== undefined && { until }) };
}

function expired(isOver: boolean): string {
  return isOver ? 'has expired' : 'expires too soon';
}

interface Block {
  readonly label: string;
  readonly body: string;
  readonly line: number;
}

function blocksOf(text: string): Block[] | Mistake {
  const blocks: Block[] = [];
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(BEGIN); at >= 0; ) {
    line += text.slice(counted, at).split('\n').length - 1;
    counted = at;
    const labelEnd = text.indexOf('-----', at + BEGIN.length);
    const label = labelEnd < 0 ? '' : text.slice(at + BEGIN.length, labelEnd);
    const end = `-----END ${label}-----`;
    const stop = label === '' || label.length > LONGEST_LABEL ? -1 : text.indexOf(end, labelEnd);
    if (stop < 0) return { line, what: 'begins a block that does not end' };
    if (blocks.length === MOST_BLOCKS) return { line, what: `has more than ${MOST_BLOCKS} blocks` };
    blocks.push({ label, body: text.slice(labelEnd + 5, stop), line });
    at = text.indexOf(BEGIN, stop);
  }
  return blocks.length > 0 ? blocks : { what: 'has no PEM block' };
}

/** Old private keys have headers, which end with an empty line. */
function isBase64(body: string): boolean {
  const [, rest = body] = /^\s*(?:[A-Za-z-]+: [^\n]*\n)+\r?\n([\s\S]*)$/.exec(body) ?? [];
  return /^[A-Za-z0-9+/]+={0,2}$/.test(rest.replaceAll(/\s+/g, ''));
}

/** Milliseconds since the epoch; undefined if it is not a certificate. */
function expiryOf(body: string): number | undefined {
  try {
    const { validTo } = new X509Certificate(Buffer.from(body, 'base64'));
    const end = Date.parse(validTo);
    return Number.isNaN(end) ? undefined : end;
  } catch {
    return undefined;
  }
}
