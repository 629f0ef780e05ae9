import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ephemeralPorts, freePorts, serverPorts } from './ports.ts';

describe('ports for servers', () => {
  test.each([
    ['below, as usual on Linux', { first: 32_768, last: 60_999 }, { first: 20_000, last: 32_767 }],
    ['above', { first: 10_000, last: 40_000 }, { first: 40_001, last: 65_535 }],
    [
      'anywhere, if outgoing connections use nearly all',
      { first: 1_024, last: 65_000 },
      { first: 20_000, last: 65_535 },
    ],
  ])('lie %s the range of outgoing connections', (_, ephemeral, expected) => {
    expect(serverPorts(ephemeral)).toEqual(expected);
  });

  test('are distinct and in range', async () => {
    const { first, last } = serverPorts(await ephemeralPorts());
    const ports = await freePorts(20);
    expect(new Set(ports).size).toBe(20);
    for (const port of ports) {
      expect(port).toBeGreaterThanOrEqual(first);
      expect(port).toBeLessThanOrEqual(last);
    }
  });

  test('are returned once, although nothing listens there yet', async () => {
    const calls = await Promise.all(Array.from({ length: 8 }, () => freePorts(250)));
    expect(new Set(calls.flat()).size).toBe(2_000);
  });

  test('can be bound', async () => {
    const [port] = await freePorts(1);
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    await new Promise((resolve) => server.close(resolve));
  });
});
