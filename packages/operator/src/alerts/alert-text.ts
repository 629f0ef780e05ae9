/** The texts of the built-in alerts, the same for every channel: title, sentence, and facts below it. */
import type { SourceRef } from '../reloader/model/source.ts';
import type { Alert, AlertMessage } from './message.ts';

/** The severity; each channel maps it to colours of its own. */
export type Tone = 'good' | 'warning' | 'danger';

export interface Fact {
  readonly name: string;
  readonly value: string;
  /** Needs the whole width. */
  readonly long?: true;
}

export interface AlertText {
  /** For places that show one line. */
  readonly short: string;
  readonly title: string;
  readonly text: string;
  readonly tone: Tone;
  readonly facts: readonly Fact[];
}

/** The number of workloads that one message names. */
export const MOST_NAMED = 10;
/** The fact that a channel leaves out if it shows the time elsewhere. */
export const TIME = 'Time';
const LONGEST_TEXT = 1_000;
/** Of the lines of a group, as they are sent: the smallest limit of all channels is 28 KB for a message to Teams. */
const LARGEST_GROUP_BYTES = 20_000;

const TONES = { reloaded: 'good', failed: 'danger', deferred: 'warning' } as const;
const TITLES = {
  reloaded: '🔄 Workload Reloaded',
  failed: '❌ Reload Failed',
  deferred: '⏸️ Reload Deferred',
} as const;
const GROUP_TITLES = {
  reloaded: (count: number) => `🔄 ${count} Workloads Reloaded`,
  failed: (count: number) => `❌ ${count} Reloads Failed`,
  deferred: (count: number) => `⏸️ ${count} Reloads Deferred`,
} as const;

export function alertTextOf(alert: Alert): AlertText {
  const [first, ...others] = alert.messages;
  return others.length === 0 ? alertTextOfOne(first, alert) : alertTextOfMany(alert);
}

function alertTextOfOne(message: AlertMessage, { additionalInfo }: Alert): AlertText {
  const { event, workload, strategy, at, configs, error } = message;
  const facts: (Fact | undefined)[] = [
    { name: 'Workload', value: `${workload.kind}/${workload.name}` },
    { name: 'Namespace', value: workload.namespace },
    { name: 'Resource', value: resourcesText(message) },
    strategy === undefined ? undefined : { name: 'Strategy', value: strategy },
    { name: TIME, value: timeText(at) },
    configs.length === 0 ? undefined : { name: 'ReloaderConfig', value: cut(configs.join(', ')) },
    additionalInfo === undefined ? undefined : { name: 'Additional Info', value: additionalInfo },
    error === undefined ? undefined : { name: 'Error', value: cut(error), long: true },
  ];
  const text = sentenceOf(message);
  const title = message.undoes === undefined ? TITLES[event] : '↩️ Reload Undone';
  return {
    short: `${title}: ${text}`,
    title,
    text,
    tone: TONES[event],
    facts: facts.filter((fact) => fact !== undefined),
  };
}

function sentenceOf({ event, workload, resources, deferral, undoes }: AlertMessage): string {
  const name = `${workload.kind}/${workload.name}`;
  if (undoes !== undefined) return `Undid reload ${undoes} of ${name}, which had failed`;
  const due =
    resources.length === 0 ? 'because another tool had undone it' : `due to ${kindsText(resources)} change`;
  if (event === 'reloaded') return `Successfully reloaded ${name} ${due}`;
  if (event === 'failed') return `Failed to reload ${name} ${due}`;
  const until = deferral?.until === undefined ? '' : ` until ${timeText(deferral.until)}`;
  return `Holding back a reload of ${name}${until} (${deferral?.why}): ${cut(deferral?.message ?? '')}`;
}

function alertTextOfMany({ messages, additionalInfo }: Alert): AlertText {
  const [{ event, at }] = messages;
  const info = additionalInfo === undefined ? [] : [{ name: 'Additional Info', value: additionalInfo }];
  const lines = fitting(messages.slice(0, MOST_NAMED).map(lineOf));
  const more = messages.length - lines.length;
  const limit = `a message names at most ${MOST_NAMED} workloads and has ${LARGEST_GROUP_BYTES / 1000} KB`;
  const title = GROUP_TITLES[event](messages.length);
  return {
    short: title,
    title,
    text: [...lines, ...(more > 0 ? [`and ${more} more: ${limit}`] : [])].join('\n'),
    tone: TONES[event],
    facts: [{ name: TIME, value: timeText(at) }, ...info],
  };
}

/** The text of a message about this workload alone. */
function lineOf(message: AlertMessage): string {
  const { workload, strategy, configs, error, deferral, undoes } = message;
  const until = deferral?.until === undefined ? '' : ` until ${timeText(deferral.until)}`;
  const parts = [
    `${workload.kind} ${workload.namespace}/${workload.name} (${resourcesText(message)})`,
    ...(undoes === undefined ? [] : [`reload ${undoes} had failed and is undone`]),
    ...(strategy === undefined ? [] : [`strategy ${strategy}`]),
    ...(configs.length === 0 ? [] : [`ReloaderConfig ${cut(configs.join(', '))}`]),
    ...(deferral ? [`${deferral.why}${until}: ${cut(deferral.message)}`] : []),
    ...(error === undefined ? [] : [`error: ${cut(error)}`]),
  ];
  return parts.join(', ');
}

/** As many whole lines as fit, but at least the first. */
function fitting(lines: readonly string[]): string[] {
  let bytes = 0;
  return lines.filter((line, index) => {
    bytes += sentBytes(line);
    return index === 0 || bytes <= LARGEST_GROUP_BYTES;
  });
}

/** In the format that makes it longest: quotes and angle brackets are escaped. */
function sentBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text.replace(/[<>&]/g, '&amp;'))) + '<br>'.length;
}

/** `Secret/credentials, ConfigMap/settings`, with the namespace where it is another. */
export function resourcesText({ resources, workload }: AlertMessage): string {
  const nameOf = ({ kind, namespace, name }: SourceRef): string =>
    namespace === workload.namespace ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
  return cut(resources.map(nameOf).join(', ')) || 'none';
}

function kindsText(resources: readonly SourceRef[]): string {
  return [...new Set(resources.map(({ kind }) => kind))].join(' and ');
}

/** RFC 3339, in seconds. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Shortens a text, and says how much is missing. */
function cut(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT)}… (the first ${LONGEST_TEXT} of ${text.length} characters)`;
}
