/**
 * Keeps alerts away from where nobody should be able to send the operator: whoever may write a ReloaderConfig chooses a
 * URL, and the operator's pod reaches its own loopback, the metadata service of its node, and private networks that the
 * writer may not reach.
 *
 * Loopback, link-local and metadata addresses are refused to everybody unless `--alert-allow-internal` says otherwise.
 * Private addresses and names of the cluster are refused to tenants, unless `--alert-allowed-hosts` names the host; the
 * administrator's own URL may lead there. Names are judged by what they resolve to, at the moment of connecting, so a
 * name that changes its mind is no way around. What a URL says is told to whoever wrote it; what a name resolves to is
 * not.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isInternal, isPrivate } from './addresses.ts';
import { DeliveryError } from './error.ts';

export interface GuardSettings {
  /** Loopback, link-local, metadata and private addresses are allowed to everybody. */
  readonly allowInternal: boolean;
  /** Lower case; `*.example.com` stands for every name below it. Empty: any host that is not refused otherwise. */
  readonly allowedHosts: readonly string[];
}

/** Where to, and whether an administrator said so. */
export interface Target {
  readonly url: URL;
  readonly trusted: boolean;
}

/** Judged by name, too: behind a proxy nothing is resolved here. */
const INTERNAL_NAMES =
  /^(?:.*\.)?localhost$|^metadata(?:\.google\.internal)?$|^instance-data(?:\.ec2\.internal)?$/;
/** Of the cluster and of networks that are nobody else's business: not even asked for. A name without a dot is one. */
const PRIVATE_NAMES =
  /^[^.]+$|\.(?:svc|local|internal|localdomain|lan|home|corp|intranet|private|home\.arpa)$/;

export const INTERNAL_REFUSAL =
  'the receiver has a loopback, link-local or metadata address, which is refused unless the operator runs with --alert-allow-internal';
export const PRIVATE_REFUSAL =
  'the receiver is in a private network or in the cluster, which is refused unless the operator runs with --alert-allowed-hosts for its host';

/** By the URL alone. Throws a `DeliveryError`. */
export function refuseByUrl({ url, trusted }: Target, { allowInternal, allowedHosts }: GuardSettings): void {
  const host = hostOf(url);
  const listed = isListed(host, allowedHosts);
  if (allowedHosts.length > 0 && !listed) {
    throw new DeliveryError('the host of the receiver is not among those of --alert-allowed-hosts', {
      retry: false,
      told: 'as it is',
    });
  }
  if (allowInternal) return;
  const isName = isIP(host) === 0;
  if (isName ? INTERNAL_NAMES.test(host) : isInternal(host))
    throw new DeliveryError(INTERNAL_REFUSAL, { retry: false, told: 'as it is' });
  if (trusted || listed) return;
  if (isName ? PRIVATE_NAMES.test(host) : isPrivate(host))
    throw new DeliveryError(PRIVATE_REFUSAL, { retry: false, told: 'as it is' });
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

/** For connections: fails where any address of a name is refused. Undefined where all are allowed. */
export function guardedLookup(
  { url, trusted }: Target,
  { allowInternal, allowedHosts }: GuardSettings,
  resolve: Resolve = lookup,
): LookupFunction | undefined {
  if (allowInternal) return undefined;
  const mayBePrivate = trusted || isListed(hostOf(url), allowedHosts);
  const isRefused = ({ address }: LookupAddress): boolean =>
    isInternal(address) || (!mayBePrivate && isPrivate(address));
  return (hostname, options, callback) => {
    resolve(hostname, { all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) {
        callback(error ?? Object.assign(new Error('No address'), { code: 'ENOTFOUND' }), '', 4);
      } else if (addresses.some(isRefused)) {
        // For tenants tried again like a name that does not exist: else the time that it takes would tell the two apart.
        const why = addresses.some(({ address }) => isInternal(address)) ? INTERNAL_REFUSAL : PRIVATE_REFUSAL;
        callback(new DeliveryError(why, { retry: !trusted }), '', 4);
      } else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
