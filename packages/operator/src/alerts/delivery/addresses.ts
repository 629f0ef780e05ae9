/** The addresses that alerts may never be sent to, and those that only the operator's administrator may use. */
import { BlockList, isIP } from 'node:net';

type Range = readonly [address: string, prefix: number];

/** The node's own addresses, link-local ones, metadata services: never a legitimate receiver. */
const INTERNAL_V4: readonly Range[] = [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  // Metadata services beside the usual address: Oracle, Alibaba, Azure.
  ['192.0.0.192', 32],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['224.0.0.0', 3],
];

const INTERNAL_V6: readonly Range[] = [
  ['::', 128],
  ['::1', 128],
  ['fe80::', 10],
  ['ff00::', 8],
  // AWS.
  ['fd00:ec2::', 32],
  // Google.
  ['fd20:ce::254', 128],
];

/** Addresses that are reachable only inside a network: a tenant must not learn what answers there. */
const PRIVATE_V4: readonly Range[] = [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['192.0.0.0', 24],
  // Documentation and benchmarks: unused on the Internet, but possibly in use in a lab.
  ['192.0.2.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Anycast of 6to4 relays.
  ['192.88.99.0', 24],
];

const PRIVATE_V6: readonly Range[] = [
  ['fc00::', 7],
  ['fec0::', 10],
  ['100::', 64],
  ['2001:db8::', 32],
  ['3fff::', 20],
  // Gateways translate these to IPv4 addresses, and may reach more than the operator does: NAT64, 6to4, Teredo,
  // IPv4-compatible and IPv4-translated ones.
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['2001::', 32],
  ['::', 96],
  ['::ffff:0:0:0', 96],
  // Segment routing and ORCHID.
  ['5f00::', 16],
  ['2001:20::', 28],
];

/** Prefixes of addresses that embed an IPv4 address in the bits that follow. */
const WRAPPINGS: readonly (readonly [before: string, behind: string, bits: number])[] = [
  ['64:ff9b::', '', 96],
  ['::', '', 96],
  ['::ffff:0:', '', 96],
  ['2002:', '::', 16],
];

const INTERNAL = listOf(INTERNAL_V4, INTERNAL_V6);
for (const [address, prefix] of INTERNAL_V4)
  for (const [before, behind, bits] of WRAPPINGS)
    INTERNAL.addSubnet(`${before}${hexOf(address)}${behind}`, bits + prefix, 'ipv6');

const PRIVATE = listOf(PRIVATE_V4, PRIVATE_V6);

const LOOPBACK = listOf([['127.0.0.0', 8]], [['::1', 128]]);

/** Of the operator's own pod: 127.0.0.0/8, also mapped to IPv6, and ::1. */
export function isLoopback(address: string): boolean {
  return isIP(address) !== 0 && isIn(LOOPBACK, address);
}

/** Loopback, link-local or of a metadata service. True for a text that is no address, so that it is refused. */
export function isInternal(address: string): boolean {
  return isIP(address) === 0 || isIn(INTERNAL, address);
}

/** Of a private network, or translated to an unknown address. */
export function isPrivate(address: string): boolean {
  return isIP(address) === 0 || isIn(PRIVATE, address);
}

function isIn(list: BlockList, address: string): boolean {
  // An address with a zone is link-local.
  return list.check(address.replace(/%.*$/, ''), isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

function listOf(v4: readonly Range[], v6: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of v4) list.addSubnet(address, prefix, 'ipv4');
  for (const [address, prefix] of v6) list.addSubnet(address, prefix, 'ipv6');
  return list;
}

/** `7f00:1` of `127.0.0.1`. */
function hexOf(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}
