/**
 * Attacks by a client that can reach port 9090 and nothing else: endless headers, unlimited connections, slow readers.
 */
import { expect } from 'vitest';
import { poll } from '../../control-plane/poll.ts';
import type { Attack } from '../harness.ts';
import { Prober } from './kubelet-probes.ts';
import { RawClient } from './raw-client.ts';

/** Created once: 400 copies would slow down the test, not the operator. */
const HALF_A_REQUEST = Buffer.from(`GET /metrics HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(1024 * 1024)}`);
const TRICKLE = 'GET /metrics HTTP/1.1\r\nHost: x\r\nX-Slow: ';
const METRICS = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n';
/** Few bytes for many requests: Node reads 64 KB at a time. */
const PACKET = Buffer.from('GET /metrics HTTP/1.1\r\nHost:\r\n\r\n'.repeat(2_000));
/** Less than half of the kubelet's timeout, by the probes of the chart. */
const PROBE_MS = 2_000;
const LET_GO_MS = 20_000;
/** Rounds of probes while the connections are open. */
const PROBES_AFTER = 30;

interface PortAttack {
  readonly title: string;
  readonly strike: (client: RawClient) => Promise<void>;
  /** How many of the attacker's connections may be left at the end. */
  readonly mostOpen: number;
}

const MOST_CONNECTIONS = 256;

const ATTACKS: readonly PortAttack[] = [
  {
    title: '400 connections with unfinished headers of 1 MB',
    strike: async (client) => {
      await Promise.all(Array.from({ length: 400 }, () => client.send(HALF_A_REQUEST, { reads: true })));
    },
    mostOpen: 0,
  },
  {
    title: '2,000 connections that send half a request and wait',
    strike: async (client) => {
      for (let round = 0; round < 20; round += 1) {
        await Promise.all(Array.from({ length: 100 }, () => client.send(TRICKLE, { reads: true })));
      }
    },
    mostOpen: MOST_CONNECTIONS,
  },
  {
    title: '200 connections that ask for metrics 20 times each and read nothing',
    strike: async (client) => {
      await Promise.all(Array.from({ length: 200 }, () => client.send(METRICS.repeat(20))));
    },
    mostOpen: MOST_CONNECTIONS,
  },
  {
    title: '100 connections with 2,000 requests in one packet each',
    strike: async (client) => {
      await Promise.all(Array.from({ length: 100 }, () => client.send(PACKET, { reads: true })));
    },
    mostOpen: 0,
  },
  {
    title: '3,000 requests for metrics, 150 at a time',
    strike: async (client) => {
      for (let round = 0; round < 20; round += 1) {
        await Promise.all(
          Array.from({ length: 150 }, () =>
            client.send(METRICS.replace('Host', 'Connection: close\r\nHost'), { reads: true }),
          ),
        );
      }
    },
    mostOpen: MOST_CONNECTIONS,
  },
];

/** Probes are answered during every attack on the port. */
export const PORT_ATTACKS: readonly Attack[] = ATTACKS.map(({ title, strike, mostOpen }) => ({
  title,
  async strike(_ground, victim) {
    const client = new RawClient(victim.port);
    const prober = new Prober(victim);
    await prober.again(1);
    try {
      await strike(client);
      await prober.again(PROBES_AFTER);
      const what = `no more than ${mostOpen} connections to be left`;
      await poll(async () => client.open <= mostOpen, { what, timeout: LET_GO_MS });
    } finally {
      client.close();
    }
    const { slowestMs, failures } = await prober.stop();
    expect(failures, 'probes that failed').toEqual([]);
    expect(slowestMs, 'the slowest probe').toBeLessThanOrEqual(PROBE_MS);
  },
}));
