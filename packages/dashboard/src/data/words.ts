/** States, waits, times and names as the page writes them. Pure. */
import type { LineState, TimelineEvent } from '@reloader/operator/api';
import type { Ref } from './route.ts';

export const STATE_WORDS: Readonly<Record<LineState, string>> = {
  failing: 'Failing',
  waiting: 'Waiting',
  rolling: 'Rolling out',
  troubled: 'Wrong settings',
  current: 'Up to date',
};

const WAIT_WORDS: Readonly<Record<string, string>> = {
  settling: 'Settling',
  batching: 'Collecting changes',
  paused: 'Paused after a reload',
  frozen: 'Frozen',
  capped: 'Waits for other rollouts',
  observing: 'Observe mode',
  window: 'Waits for its window',
  approval: 'Waits for approval',
  doubt: 'In doubt, held',
  refused: 'Failed here before',
  'failed-elsewhere': 'Failed elsewhere',
  rate: 'Rate limited',
  wave: 'Waits for an earlier wave',
  canary: 'Waits for its canary',
  condition: 'Waits for its condition',
  invalid: 'Unreadable settings',
};

/** A gate that this page does not know is shown under its own name. */
export function waitWord(why: string): string {
  const words = why.replaceAll('-', ' ');
  return WAIT_WORDS[why] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** Reasons to wait that the buttons for one change cannot end. */
export const HELD_BY_PEOPLE: ReadonlySet<string> = new Set(['frozen', 'observing', 'invalid', 'condition']);

/** A reload in doubt is released by an approval as well. */
export function needsApproval(why: string | undefined): boolean {
  return why !== undefined && (why === 'doubt' || /approv/i.test(why));
}

/** The event that ends a wait without an end time. */
export function endWord(why: string): string {
  if (why === 'frozen') return 'until it is unfrozen';
  if (needsApproval(why)) return 'until somebody approves';
  return why === 'invalid' ? 'until that is put right' : 'until something happens';
}

/** The consequence of ending the freeze of one workload. Another freeze may hold it as well. */
export function thawWord(waits: readonly { readonly why: string }[]): string {
  if (waits.length === 0) return 'No change waits: nothing restarts now.';
  const isAlone = waits.every(({ why }) => why === 'frozen');
  return `A change waits: it restarts ${isAlone ? 'now, unless its Namespace or the cluster is frozen, too' : 'when nothing else holds it'}.`;
}

/** `42s`, `3m 10s`, `5h 2m`, `3d` */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 || minutes > 9 ? `${minutes}m` : `${minutes}m ${seconds % 60}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}m`;
  return `${Math.floor(hours / 24)}d`;
}

export function agoText(time: string, now: number): string {
  const ms = now - Date.parse(time);
  return ms < 1_500 ? 'just now' : `${durationText(ms)} ago`;
}

export function untilText(time: string, now: number): string {
  const ms = Date.parse(time) - now;
  return ms <= 0 ? 'now' : `in ${durationText(ms + 999)}`;
}

export function clockText(time: string | number): string {
  return new Date(time).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

/** The date and the time zone, for a drawing that others see elsewhere and later. */
export function dateText(time: number): string {
  const parts = { year: 'numeric', month: 'short', day: 'numeric', timeZoneName: 'short' } as const;
  return new Date(time).toLocaleDateString([], parts);
}

/** With the date, unless it is today. */
export function dayText(time: string | number): string {
  const then = new Date(time);
  if (then.toDateString() === new Date().toDateString()) return clockText(time);
  return then.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}

/** Replaces UTC times in a message of the operator with local times. */
export function localTimes(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, dayText);
}

export function nameOf({ kind, namespace, name }: Ref): string {
  return `${kind} ${namespace}/${name}`;
}

export function keyOf({ kind, namespace, name }: Ref): string {
  return `${namespace}/${kind}/${name}`;
}

export function plural(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}

export function eventText(event: TimelineEvent): string {
  const { type, source, change, concerned = 0, wait, causes = [], result, message } = event;
  const because = causes.length > 0 ? ` for ${causes.map(nameOf).join(', ')}` : '';
  switch (type) {
    case 'source':
      return `${source ? nameOf(source) : ''} ${change} → ${plural(concerned, 'workload')}`;
    case 'wait':
      return waitWord(wait?.why ?? '');
    case 'reload':
      return `Reloaded${because}`;
    case 'rollout':
      if (result === 'superseded') return `Overtaken: ${message ?? ''}`;
      return result === 'succeeded' ? 'Rolled out' : `Rollout failed: ${message ?? ''}`;
    case 'refused':
      return `Reload refused: ${message ?? ''}`;
    case 'observe':
      return `Would reload${because}`;
  }
}
