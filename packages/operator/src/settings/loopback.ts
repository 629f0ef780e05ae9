/** Addresses that are reachable only from the machine, or the pod, itself. */
import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

export function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  if (address === 'localhost') return true;
  // An IPv4 peer of a dual-stack socket.
  const plain = address.replace(/^::ffff:/i, '');
  const version = isIP(plain);
  return version !== 0 && loopback.check(plain, version === 6 ? 'ipv6' : 'ipv4');
}
