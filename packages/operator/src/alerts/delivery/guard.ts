/**
 * Refuses to send alerts to internal addresses. A user who may write a ReloaderConfig chooses a URL, and the operator's
 * pod can reach its own loopback, the metadata service of its node, and private networks that the user may not reach.
 *
 * Link-local and metadata addresses are refused to everybody unless `--alert-allow-internal` is set, and so is loopback,
 * unless the administrator's own URL names it: a receiver may run beside the operator. Private addresses and names of the
 * cluster are refused to tenants, unless `--alert-allowed-hosts` names the host; the administrator's own URL may use
 * them. Names are judged by the addresses that they resolve to when the connection is
 * made, so DNS rebinding is no way around it. A refusal because of the URL's text is told to its author; one because of
 * the resolved address is not.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isInternal, isLoopback, isPrivate } from './addresses.ts';
import { DeliveryError } from './error.ts';

export interface GuardSettings {
  /** Loopback, link-local, metadata and private addresses are allowed to everybody. */
  readonly allowInternal: boolean;
  /** Lower case; `*.example.com` stands for every name below it. Empty: any host that is not refused otherwise. */
  readonly allowedHosts: readonly string[];
}

/** The address, and whether an administrator configured it. */
export interface Target {
  readonly url: URL;
  readonly trusted: boolean;
}

/** Judged by name, too: behind a proxy the operator resolves no names. */
const LOOPBACK_NAMES = /^(?:.*\.)?localhost$/;
const METADATA_NAMES = /^metadata(?:\.google\.internal)?$|^instance-data(?:\.ec2\.internal)?$/;
/** Names of the cluster and of private networks: refused before they are resolved. A name without a dot is one. */
const PRIVATE_NAMES =
  /^[^.]+$|\.(?:svc|local|internal|localdomain|lan|home|corp|intranet|private|home\.arpa)$/;

export const INTERNAL_REFUSAL =
  'the receiver has a loopback, link-local or metadata address, which is refused unless the operator runs with --alert-allow-internal';
export const PRIVATE_REFUSAL =
  'the receiver is in a private network or in the cluster, which is refused unless the operator runs with --alert-allowed-hosts for its host';

/** Judges by the URL alone. Throws a `DeliveryError`. */
export function refuseByUrl({ url, trusted }: Target, { allowInternal, allowedHosts }: GuardSettings): void {
  const host = hostOf(url);
  const listed = isListed(host, allowedHosts);
  if (allowedHosts.length > 0 && !listed) {
    throw new DeliveryError('the host of the receiver is not among those of --alert-allowed-hosts', {
      retry: false,
      told: 'as it is',
    });
  }
  if (allowInternal || (trusted && namesLoopback(host))) return;
  const isName = isIP(host) === 0;
  if (isName ? LOOPBACK_NAMES.test(host) || METADATA_NAMES.test(host) : isInternal(host))
    throw new DeliveryError(INTERNAL_REFUSAL, { retry: false, told: 'as it is' });
  if (trusted || listed) return;
  if (isName ? PRIVATE_NAMES.test(host) : isPrivate(host))
    throw new DeliveryError(PRIVATE_REFUSAL, { retry: false, told: 'as it is' });
}

function namesLoopback(host: string): boolean {
  return isLoopback(host) || LOOPBACK_NAMES.test(host);
}

function isListed(host: string, allowed: readonly string[]): boolean {
  return allowed.some((each) => (each.startsWith('*.') ? host.endsWith(each.slice(1)) : host === each));
}

function hostOf({ hostname }: URL): string {
  return hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

type Resolve = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** For connections: fails if any address of a name is refused. Undefined if all are allowed. */
export function guardedLookup(
  { url, trusted }: Target,
  { allowInternal, allowedHosts }: GuardSettings,
  resolve: Resolve = lookup,
): LookupFunction | undefined {
  if (allowInternal) return undefined;
  const mayBePrivate = trusted || isListed(hostOf(url), allowedHosts);
  const mayBeLoopback = trusted && namesLoopback(hostOf(url));
  const isRefused = ({ address }: LookupAddress): boolean =>
    !(mayBeLoopback && isLoopback(address)) && (isInternal(address) || (!mayBePrivate && isPrivate(address)));
  return (hostname, options, callback) => {
    resolve(hostname, { all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) {
        callback(error ?? Object.assign(new Error('No address'), { code: 'ENOTFOUND' }), '', 4);
      } else if (addresses.some(isRefused)) {
        // For tenants it is retried like a name that does not exist: otherwise the timing would tell the two apart.
        const why = addresses.some(({ address }) => isInternal(address)) ? INTERNAL_REFUSAL : PRIVATE_REFUSAL;
        callback(new DeliveryError(why, { retry: !trusted }), '', 4);
      } else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
