/**
 * Keeps alerts away from where nobody should be able to send the operator: whoever may write a ReloaderConfig chooses a
 * URL, and the operator's pod reaches its own loopback and the metadata service of its node.
 *
 * Names are judged by what they resolve to, at the moment of connecting, so a name that changes its mind is no way
 * around. Addresses of the cluster and of private networks are allowed: receivers live there.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { DeliveryError } from './error.ts';

const RANGES: readonly (readonly [address: string, prefix: number, family: 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  // Metadata services beside the usual address: Oracle, Alibaba, Azure.
  ['192.0.0.192', 32, 'ipv4'],
  ['100.100.100.200', 32, 'ipv4'],
  ['168.63.129.16', 32, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['::1', 128, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
  // AWS.
  ['fd00:ec2::', 32, 'ipv6'],
  // Google.
  ['fd20:ce::254', 128, 'ipv6'],
  // The above behind NAT64 and 6to4, and the obsolete way to write IPv4 in IPv6.
  ['64:ff9b::7f00:0', 104, 'ipv6'],
  ['64:ff9b::a9fe:0', 112, 'ipv6'],
  ['2002:7f00::', 24, 'ipv6'],
  ['2002:a9fe::', 32, 'ipv6'],
  ['::127.0.0.0', 104, 'ipv6'],
  ['::169.254.0.0', 112, 'ipv6'],
];

const REFUSED = new BlockList();
for (const [address, prefix, family] of RANGES) REFUSED.addSubnet(address, prefix, family);

/** Judged by name, too: behind a proxy nothing is resolved here. */
const REFUSED_NAMES =
  /^(?:.*\.)?localhost$|^metadata(?:\.google\.internal)?$|^instance-data(?:\.ec2\.internal)?$/;

export const REFUSAL =
  'the receiver has a loopback, link-local or metadata address, which is refused unless the operator runs with --alert-allow-internal';

export function isRefusedAddress(address: string): boolean {
  const family = isIP(address);
  // What is no address at all is nothing to connect to.
  if (family === 0) return true;
  return REFUSED.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** By the URL alone. Throws a `DeliveryError`. */
export function refuseInternal(url: URL): void {
  const host = hostOf(url);
  const refused = isIP(host) === 0 ? REFUSED_NAMES.test(host) : isRefusedAddress(host);
  if (refused) throw new DeliveryError(REFUSAL, { retry: false });
}

/** `*.example.com` stands for every name below it. An empty list allows all. */
export function refuseUnlisted(url: URL, allowed: readonly string[]): void {
  const host = hostOf(url);
  const fits = (each: string): boolean =>
    each.startsWith('*.') ? host.endsWith(each.slice(1)) : host === each;
  if (allowed.length === 0 || allowed.some(fits)) return;
  throw new DeliveryError('the host of the receiver is not among those of --alert-allowed-hosts', {
    retry: false,
  });
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

/** For connections: fails where any address of a name is refused. */
export function guardedLookup(resolve: Resolve = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) {
        callback(error ?? Object.assign(new Error('No address'), { code: 'ENOTFOUND' }), '', 4);
      } else if (addresses.some(({ address }) => isRefusedAddress(address))) {
        callback(new DeliveryError(REFUSAL, { retry: false }), '', 4);
      } else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
