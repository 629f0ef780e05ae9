/** Names of objects, times and waits, as the commands write them. */
import type { ConfigRef, HistoryLine, PastReload, Wait } from '../../api/shapes.ts';
import { ageText, type Tone } from '../../terminal/style.ts';

export const RESULT_TONES: Readonly<Record<HistoryLine['result'], Tone>> = {
  rolling: 'warn',
  succeeded: 'good',
  failed: 'bad',
  timeout: 'bad',
  superseded: 'warn',
  refused: 'bad',
};

export function inNamespace({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind.toLowerCase()}/${name}`;
}

export function configName({ namespace, name }: ConfigRef): string {
  return `${namespace}/${name}`;
}

/** `in 12s (2026-01-01T00:00:00Z)` */
export function whenText(time: string, now: number): string {
  return `${distanceText(time, now)} (${shortTime(time)})`;
}

export function distanceText(time: string, now: number): string {
  const left = Date.parse(time) - now;
  return left >= 0 ? `in ${ageText(left + 999)}` : `${ageText(-left)} ago`;
}

export function shortTime(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}

export function waitText({ why, until, message }: Wait, now: number): string {
  return `${why}${until === undefined ? '' : ` until ${shortTime(until)} (${distanceText(until, now)})`}: ${message}`;
}

export function indented(text: string): string {
  return `  ${text}\n`;
}

const RESTORES: Readonly<Record<NonNullable<PastReload['restore']>, string>> = {
  restored: '; its ConfigMaps were put back',
  refused: '; nothing was put back (RestoreRefused)',
  fought: '; its ConfigMaps were put back, and written again by somebody (RestoreFought)',
};

/** The result of the restore after a failed reload. */
export function restoreText(restore: PastReload['restore']): string {
  return restore === undefined ? '' : RESTORES[restore];
}
