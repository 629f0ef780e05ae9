/** The longest pause that is granted to a receiver. */
const LONGEST_MS = 60_000;

/** The header in milliseconds: seconds or a date. Undefined if it is absent or invalid. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(LONGEST_MS, Math.max(0, ms));
}
