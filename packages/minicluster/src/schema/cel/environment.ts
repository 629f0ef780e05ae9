/**
 * The CEL environment of validation rules: the standard functions, the string extension, optionals, and of
 * Kubernetes' own functions those for lists, patterns, quantities and URLs. Patterns run through RE2, so that no rule
 * can make the server hang.
 */

import { isIPv4, isIPv6 } from 'node:net';
import { Environment } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import { deepEqual } from '../json.ts';
import { canonicalQuantity, nanoValue } from '../quantity.ts';

/** As long as `matches`, which it replaces: positions in messages stay correct. */
export const PATTERN_FUNCTION = 're2find';

/** Functions of a real server that are missing here: rules that need one are skipped, with a warning. */
export const MISSING_FUNCTIONS: ReadonlySet<string> = new Set([
  'ip',
  'cidr',
  'isCanonical',
  'family',
  'isUnspecified',
  'isLoopback',
  'isLinkLocalMulticast',
  'isLinkLocalUnicast',
  'isGlobalUnicast',
  'containsIP',
  'containsCIDR',
  'masked',
  'prefixLength',
  'ip.isCanonical',
  'semver',
  'isSemver',
  'major',
  'minor',
  'patch',
  'named',
  'dns1123Label',
  'dns1123Subdomain',
  'dns1035Label',
  'qualifiedName',
  'labelValue',
  'validate',
  'format',
  'quote',
  'reverse',
  'transformList',
  'transformMap',
  'transformMapEntry',
  'existsOne',
  'sets',
  'math',
  'base64',
  'authorizer',
  'optMap',
  'optFlatMap',
  'flatten',
  'slice',
  'sort',
  'sortBy',
  'distinct',
  'range',
  'first',
  'last',
  'getQuery',
]);

class Quantity {
  readonly nano: bigint;
  constructor(nano: bigint) {
    this.nano = nano;
  }
}

class Url {
  readonly url: URL;
  constructor(url: URL) {
    this.url = url;
  }
}

const QUANTITY = 'kubernetes.Quantity';
const URL_TYPE = 'kubernetes.URL';

let base: Environment | undefined;

/** A fresh environment; declare its variables. */
export function newEnvironment(): Environment {
  base ??= addFunctions(new Environment({ unlistedVariablesAreDyn: false, enableOptionalTypes: true }));
  return base.clone();
}

type Handler = (...args: never[]) => unknown;

function addFunctions(env: Environment): Environment {
  env.registerType(QUANTITY, Quantity).registerType(URL_TYPE, Url);
  for (const [signature, handler] of Object.entries({
    ...PATTERNS,
    ...STRINGS,
    ...LISTS,
    ...QUANTITIES,
    ...URLS,
  })) {
    env.registerFunction(signature, handler as (...args: unknown[]) => unknown);
  }
  return env;
}

const PATTERNS: Record<string, Handler> = {
  [`string.${PATTERN_FUNCTION}(string): bool`]: (text: string, pattern: string) =>
    compile(pattern).matcher(text).find(),
  'string.find(string): string': (text: string, pattern: string) => findAll(text, pattern, 1)[0] ?? '',
  'string.findAll(string): list<string>': (text: string, pattern: string) =>
    findAll(text, pattern, Number.POSITIVE_INFINITY),
  'string.findAll(string, int): list<string>': (text: string, pattern: string, limit: bigint) =>
    findAll(text, pattern, limit < 0n ? Number.POSITIVE_INFINITY : Number(limit)),
};

const compiled = new Map<string, RE2JS>();
const MAX_PATTERNS = 1000;

function compile(pattern: string): RE2JS {
  let regex = compiled.get(pattern);
  if (!regex) {
    if (compiled.size >= MAX_PATTERNS) compiled.clear();
    regex = RE2JS.compile(pattern);
    compiled.set(pattern, regex);
  }
  return regex;
}

function findAll(text: string, pattern: string, limit: number): string[] {
  const matcher = compile(pattern).matcher(text);
  const found: string[] = [];
  while (found.length < limit && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}

const STRINGS: Record<string, Handler> = {
  'string.replace(string, string): string': (text: string, from: string, to: string) =>
    text.replaceAll(from, () => to),
  'string.charAt(int): string': (text: string, index: bigint) => [...text][Number(index)] ?? '',
};

const LISTS: Record<string, Handler> = {
  'list.isSorted(): bool': (items: unknown[]) =>
    items.every((item, i) => i === 0 || !((item as number) < (items[i - 1] as number))),
  'list.sum(): dyn': (items: (bigint | number)[]) =>
    items.reduce((sum, item) => ((sum as number) + (item as number)) as bigint | number, zeroLike(items)),
  'list.min(): dyn': (items: unknown[]) => extreme(items, (a, b) => a < b),
  'list.max(): dyn': (items: unknown[]) => extreme(items, (a, b) => a > b),
  'list.indexOf(dyn): int': (items: unknown[], wanted: unknown) =>
    BigInt(items.findIndex((item) => deepEqual(item, wanted))),
  'list.lastIndexOf(dyn): int': (items: unknown[], wanted: unknown) =>
    BigInt(items.findLastIndex((item) => deepEqual(item, wanted))),
};

const zeroLike = (items: readonly unknown[]): bigint | number => (typeof items[0] === 'number' ? 0 : 0n);

function extreme(items: unknown[], better: (a: number, b: number) => boolean): unknown {
  if (items.length === 0) throw new Error('min/max called on empty list');
  return items.reduce((best, item) => (better(item as number, best as number) ? item : best));
}

const QUANTITIES: Record<string, Handler> = {
  'isQuantity(string): bool': (text: string) => succeeds(() => canonicalQuantity(text)),
  [`quantity(string): ${QUANTITY}`]: (text: string) => new Quantity(nanoValue(text)),
  [`${QUANTITY}.isGreaterThan(${QUANTITY}): bool`]: (a: Quantity, b: Quantity) => a.nano > b.nano,
  [`${QUANTITY}.isLessThan(${QUANTITY}): bool`]: (a: Quantity, b: Quantity) => a.nano < b.nano,
  [`${QUANTITY}.compareTo(${QUANTITY}): int`]: (a: Quantity, b: Quantity) =>
    a.nano < b.nano ? -1n : a.nano > b.nano ? 1n : 0n,
  [`${QUANTITY}.sign(): int`]: ({ nano }: Quantity) => (nano < 0n ? -1n : nano > 0n ? 1n : 0n),
  [`${QUANTITY}.isInteger(): bool`]: ({ nano }: Quantity) => nano % NANO === 0n,
  [`${QUANTITY}.asInteger(): int`]: ({ nano }: Quantity) => {
    if (nano % NANO !== 0n) throw new Error('cannot convert value to integer');
    return nano / NANO;
  },
  [`${QUANTITY}.asApproximateFloat(): double`]: ({ nano }: Quantity) => Number(nano) / Number(NANO),
  [`${QUANTITY}.add(${QUANTITY}): ${QUANTITY}`]: (a: Quantity, b: Quantity) => new Quantity(a.nano + b.nano),
  [`${QUANTITY}.sub(${QUANTITY}): ${QUANTITY}`]: (a: Quantity, b: Quantity) => new Quantity(a.nano - b.nano),
  [`${QUANTITY}.add(int): ${QUANTITY}`]: (a: Quantity, b: bigint) => new Quantity(a.nano + b * NANO),
  [`${QUANTITY}.sub(int): ${QUANTITY}`]: (a: Quantity, b: bigint) => new Quantity(a.nano - b * NANO),
};

const NANO = 1_000_000_000n;

const URLS: Record<string, Handler> = {
  'isURL(string): bool': (text: string) => succeeds(() => parseUrl(text)),
  [`url(string): ${URL_TYPE}`]: (text: string) => new Url(parseUrl(text)),
  [`${URL_TYPE}.getScheme(): string`]: ({ url }: Url) =>
    url.host === PATH_ONLY ? '' : url.protocol.slice(0, -1),
  [`${URL_TYPE}.getHost(): string`]: ({ url }: Url) => (url.host === PATH_ONLY ? '' : url.host),
  [`${URL_TYPE}.getHostname(): string`]: ({ url }: Url) => (url.host === PATH_ONLY ? '' : url.hostname),
  [`${URL_TYPE}.getPort(): string`]: ({ url }: Url) => url.port,
  [`${URL_TYPE}.getEscapedPath(): string`]: ({ url }: Url) => url.pathname,
  'isIP(string): bool': (text: string) => isIPv4(text) || isIPv6(text),
  'isCIDR(string): bool': (text: string) => {
    const [address = '', bits = ''] = text.split('/');
    return (
      /^\d+$/.test(bits) &&
      ((isIPv4(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128))
    );
  },
};

/** A placeholder host for a URL that is only a path. */
const PATH_ONLY = 'path-only.invalid';

function parseUrl(text: string): URL {
  return text.startsWith('/') ? new URL(`http://${PATH_ONLY}${text}`) : new URL(text);
}

function succeeds(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}
