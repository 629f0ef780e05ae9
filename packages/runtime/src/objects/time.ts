/** Times as the API writes them. In: wall-clock milliseconds. */

/** metav1.Time: whole seconds, UTC. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** metav1.MicroTime: six decimals, which the server requires. */
export function microTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}
