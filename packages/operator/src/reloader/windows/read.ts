/**
 * Reads windows: from a ReloaderConfig, from the annotation `sync-windows` (a list in YAML or JSON) or from
 * `restart-window` (one object with a time zone for all).
 *
 * In: any JSON, or text. Out: windows, and a problem with its path for each part that cannot be read. On a problem the
 * caller holds reloads back: otherwise a typing error would restart production at noon.
 */
import { parse } from 'yaml';
import { DurationError, parseGoDuration } from '../../go/duration.ts';
import {
  LONGEST_WINDOW_MS,
  MOST_WINDOWS,
  type RecurringWindow,
  SHORTEST_WINDOW_MS,
  type SingleWindow,
  type Window,
} from '../model/window.ts';
import { isTimeZone, scheduleProblem } from './cron.ts';

export interface WindowProblem {
  /** The path in the input: `[0].schedule`; empty for all of it. */
  readonly path: string;
  readonly message: string;
}

export interface ReadWindows {
  readonly windows: readonly Window[];
  readonly problems: readonly WindowProblem[];
}

const LONGEST_TEXT = 8192;
/** Enough for sixteen windows, with comments. */
const MOST_LINES = 256;
const MOST_BRACKETS = 64;
/** A list in a list in a list, in one line. */
const NESTED_LINE = /^(?:[ \t]*[-?:][ \t]){3}/m;
const FIELDS = ['kind', 'schedule', 'duration', 'timeZone', 'from', 'to'];

/** Reads the annotation `sync-windows`. */
export function readWindowsText(text: string): ReadWindows {
  const parsed = parsedText(text, parseShallow);
  return 'problems' in parsed ? parsed : readWindows(parsed.value);
}

/**
 * JSON, or YAML that is no deeper than windows need. The parser is recursive, so a tenant's text of thousands of
 * brackets would exhaust the stack and end the process.
 */
function parseShallow(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const brackets = text.match(/[[{]/g)?.length ?? 0;
    const lines = text.split('\n', MOST_LINES + 1).length;
    if (brackets > MOST_BRACKETS || lines > MOST_LINES || NESTED_LINE.test(text))
      throw new Error('nested too deeply');
    return parse(text, { maxAliasCount: 0, logLevel: 'error' });
  }
}

/**
 * Reads the annotation `restart-window`: `{"timezone": "UTC", "windows": [{"cron": "0 0 * * *", "duration": "1h"}]}`.
 */
export function readRestartWindow(text: string): ReadWindows {
  const parsed = parsedText(text, JSON.parse);
  if ('problems' in parsed) return parsed;
  const { value } = parsed;
  if (!isMap(value)) return wrong('', 'must be an object with timezone and windows');
  const unknown = Object.keys(value).find((name) => name !== 'timezone' && name !== 'windows');
  if (unknown !== undefined) return wrong('', `has no field ${quote(unknown)}: there are timezone, windows`);
  if (!Array.isArray(value.windows)) return wrong('.windows', 'must be a list of windows');
  const { timezone } = value;
  if (timezone === undefined) return wrong('.timezone', 'is required: name a zone such as "UTC"');
  const windows = value.windows.map((entry: unknown) => {
    if (!isMap(entry)) return entry;
    const { cron, ...rest } = entry;
    return { ...rest, ...(cron !== undefined && { schedule: cron }), timeZone: timezone };
  });
  const read = readWindows(windows);
  const problems = read.problems.map(({ path, message }) => ({
    path: path.endsWith('.timeZone') ? '.timezone' : `.windows${path.replace('.schedule', '.cron')}`,
    message,
  }));
  return { windows: read.windows, problems };
}

/** Reads `spec.windows`, or a text that was parsed. */
export function readWindows(value: unknown): ReadWindows {
  if (!Array.isArray(value)) return wrong('', 'must be a list of windows');
  if (value.length > MOST_WINDOWS) return wrong('', `has ${value.length} windows: ${MOST_WINDOWS} at most`);
  const problems: WindowProblem[] = [];
  const windows = value.flatMap((entry: unknown, index): Window[] => {
    const window = readWindow(entry, (name, message) => {
      problems.push({ path: name === '' ? `[${index}]` : `[${index}].${name}`, message });
    });
    return window ? [window] : [];
  });
  return { windows, problems };
}

type Say = (field: string, message: string) => void;

function readWindow(entry: unknown, say: Say): Window | undefined {
  if (!isMap(entry)) {
    say('', 'must be an object with schedule and duration, or from and to');
    return undefined;
  }
  const unknown = Object.keys(entry).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) {
    say('', `has no field ${quote(unknown)}: there are ${FIELDS.join(', ')}`);
    return undefined;
  }
  const { kind = 'allow' } = entry;
  if (kind !== 'allow' && kind !== 'deny') {
    say('kind', `must be allow or deny, not ${quote(kind)}`);
    return undefined;
  }
  const isSingle = entry.from !== undefined || entry.to !== undefined;
  if (isSingle && ['schedule', 'duration', 'timeZone'].some((name) => entry[name] !== undefined)) {
    say('', 'has from or to and also schedule, duration or timeZone: write either of both');
    return undefined;
  }
  return isSingle ? single(kind, entry, say) : recurring(kind, entry, say);
}

function recurring(kind: Window['kind'], entry: JsonMap, say: Say): RecurringWindow | undefined {
  const { schedule, duration, timeZone = 'UTC' } = entry;
  if (typeof timeZone !== 'string' || !isTimeZone(timeZone)) {
    say('timeZone', `${quote(timeZone)} is no time zone: write an IANA name such as Europe/Berlin`);
    return undefined;
  }
  if (typeof schedule !== 'string') {
    say('schedule', 'is required: five fields, as in "0 2 * * 1-5"');
    return undefined;
  }
  const bad = scheduleProblem(schedule, timeZone);
  if (bad !== undefined) {
    say('schedule', `${quote(schedule)} ${bad}`);
    return undefined;
  }
  const durationMs = typeof duration === 'string' ? milliseconds(duration) : undefined;
  if (durationMs === undefined || durationMs < SHORTEST_WINDOW_MS || durationMs > LONGEST_WINDOW_MS) {
    const said = duration === undefined ? 'is required' : `is ${quote(duration)}`;
    say('duration', `${said}: write one from 1m to 168h, such as "3h"`);
    return undefined;
  }
  return { kind, schedule, durationMs, timeZone };
}

/** RFC 3339 with its offset: without one, the time zone of the operator's process would apply. */
const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

export function parseTime(text: unknown): number | undefined {
  if (typeof text !== 'string' || !TIME.test(text) || !isDate(text.slice(0, DATE_LENGTH))) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

const DATE_LENGTH = '2026-12-20'.length;

/** JavaScript takes 30 February for 2 March. The API server refuses it. */
function isDate(date: string): boolean {
  const ms = Date.parse(date);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}

function single(kind: Window['kind'], entry: JsonMap, say: Say): SingleWindow | undefined {
  const [from, to] = [parseTime(entry.from), parseTime(entry.to)];
  for (const [name, time] of [
    ['from', from],
    ['to', to],
  ] as const) {
    if (time === undefined)
      say(name, `is ${quote(entry[name])}: write a time with its offset, such as 2026-12-20T00:00:00+01:00`);
  }
  if (from === undefined || to === undefined) return undefined;
  if (to > from) return { kind, from, to };
  say('to', 'is not after from');
  return undefined;
}

type JsonMap = Readonly<Record<string, unknown>>;

function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsedText(text: string, parser: (text: string) => unknown): { value: unknown } | ReadWindows {
  if (text.length > LONGEST_TEXT) return wrong('', `has more than ${LONGEST_TEXT} characters`);
  try {
    return { value: parser(text) };
  } catch {
    return wrong('', 'is not the YAML or JSON that is expected here');
  }
}

function wrong(path: string, message: string): ReadWindows {
  return { windows: [], problems: [{ path, message }] };
}

function milliseconds(text: string): number | undefined {
  try {
    return parseGoDuration(text);
  } catch (error) {
    if (error instanceof DurationError) return undefined;
    throw error;
  }
}

const LONGEST_QUOTE = 40;

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
}
