/**
 * Free loopback ports for servers that keep theirs over a restart.
 *
 * They are outside the kernel's range of ephemeral ports. A port inside it could be assigned to an outgoing
 * connection while its server is down, even to a client that retries that very port: on loopback such a connection
 * can connect to itself and block the server's restart.
 */
import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

const lowestServerPort = 20_000;
const highestPort = 65_535;
const smallestUsefulRange = 1_000;
const defaultEphemeral: PortRange = { first: 32_768, last: 60_999 };

/** The larger part of the unprivileged ports that outgoing connections do not use. */
export function serverPorts(ephemeral: PortRange): PortRange {
  const below = { first: lowestServerPort, last: ephemeral.first - 1 };
  const above = { first: Math.max(ephemeral.last + 1, lowestServerPort), last: highestPort };
  const larger = sizeOf(below) >= sizeOf(above) ? below : above;
  return sizeOf(larger) >= smallestUsefulRange ? larger : { first: lowestServerPort, last: highestPort };
}

/** The kernel's setting on Linux; elsewhere Linux's usual one, which is close enough. */
export async function ephemeralPorts(): Promise<PortRange> {
  const setting = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => '');
  const [first = Number.NaN, last = Number.NaN] = setting.trim().split(/\s+/).map(Number);
  return first > 0 && last >= first ? { first, last } : defaultEphemeral;
}

/**
 * Ports that this process has returned before. A server that was given one may need a second to bind it: another one
 * with the same port would fail, and its readiness be answered by the first.
 */
const given = new Set<number>();

/** Ports that were free a moment ago, each returned once; binding one may still lose a race with another process. */
export async function freePorts(count: number): Promise<number[]> {
  const { first, last } = serverPorts(await ephemeralPorts());
  const found = new Set<number>();
  for (let attempts = 0; found.size < count; attempts += 1) {
    if (attempts > 100 * count) throw new Error(`found no ${count} free ports between ${first} and ${last}`);
    const port = randomInt(first, last + 1);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

function sizeOf(range: PortRange): number {
  return range.last - range.first + 1;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
