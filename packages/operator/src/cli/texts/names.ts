/** Names of objects, times and waits, as the commands write them. */
import type { Wait } from '../../api/shapes.ts';
import type { WorkloadRef } from '../../reloader/model/workload.ts';
import { ageText } from '../style.ts';

export function inNamespace({ kind, name }: Pick<WorkloadRef, 'kind' | 'name'>): string {
  return `${kind.toLowerCase()}/${name}`;
}

/** `in 12s (2026-01-01T00:00:00Z)` */
export function whenText(time: string, now: number): string {
  return `${distanceText(time, now)} (${shortTime(time)})`;
}

function distanceText(time: string, now: number): string {
  const left = Date.parse(time) - now;
  return left >= 0 ? `in ${ageText(left + 999)}` : `${ageText(-left)} ago`;
}

function shortTime(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}

export function waitText({ why, until, message }: Wait, now: number): string {
  return `${why}${until === undefined ? '' : ` until ${shortTime(until)} (${distanceText(until, now)})`}: ${message}`;
}

export function indented(text: string): string {
  return `  ${text}\n`;
}
