/** The string formats that a server checks. An unknown format is no constraint. */
import { isIPv4, isIPv6 } from 'node:net';
import { canonicalTime } from '../timestamps.ts';

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const versionedUuid = (version: number, variant: string): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i');
const UUIDS = {
  uuid: UUID,
  uuid3: versionedUuid(3, '[0-9a-f]'),
  uuid4: versionedUuid(4, '[89ab]'),
  uuid5: versionedUuid(5, '[89ab]'),
};
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const HOST_LABEL = /^[a-zA-Z0-9](?:[-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$/;
const MAC =
  /^([0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\2){4}(?:[0-9a-f]{2}\2){0,2}[0-9a-f]{2}$|^(?:[0-9a-f]{4}\.){2,3}[0-9a-f]{4}$/i;
const GO_DURATION =
  /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*$/;
const WORDY_DURATION =
  /^(?:\s*\d+\s*(?:ns|nano|us|µs|micro|ms|milli|s|sec|m|min|h|hr|hour|d|day|w|wk|week)s?)+$/i;

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': isDateTime,
  datetime: isDateTime,
  date: isDate,
  byte: (text) => text !== '' && BASE64.test(text),
  email: isEmail,
  hostname: (text) => text.length <= 255 && text.split('.').every((label) => HOST_LABEL.test(label)),
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  mac: (text) => MAC.test(text),
  uri: isUri,
  duration: (text) => text === '0' || GO_DURATION.test(text) || WORDY_DURATION.test(text),
  ...Object.fromEntries(
    Object.entries(UUIDS).map(([name, pattern]) => [name, (text: string) => pattern.test(text)]),
  ),
};

export function matchesFormat(format: string, text: string): boolean {
  return !Object.hasOwn(CHECKS, format) || (CHECKS[format] as (text: string) => boolean)(text);
}

function isDateTime(text: string): boolean {
  const [, day, separator, rest] = /^(\d{4}-\d\d-\d\d)([Tt ])(.*)$/.exec(text) ?? [];
  if (day === undefined || separator === ' ') return false;
  try {
    canonicalTime(`${day}T${(rest ?? '').toUpperCase()}`);
    return true;
  } catch {
    return false;
  }
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && isDateTime(`${text}T00:00:00Z`);
}

function isEmail(text: string): boolean {
  const address = /<([^<>]+)>$/.exec(text)?.[1] ?? text;
  return /^[^\s@<>]+@[^\s@<>]+$/.test(address);
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  if (more.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return (isIPv4(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128);
}

/** As in an HTTP request line: absolute, or a path from the root. */
function isUri(text: string): boolean {
  if (text === '' || /%(?![0-9a-f]{2})/i.test(text) || /[\s<>"\\^`{|}]/.test(text)) return false;
  return text.startsWith('/') || /^[a-z][-+.a-z0-9]*:/i.test(text);
}
