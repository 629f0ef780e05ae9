/**
 * Clients that follow the operator, as users of its page do: bare programs that read streams, or pages in Chromium.
 *
 * Guarantees: all follow when they are handed out. Pages are opened and left alone: Playwright would have Chromium report
 * every piece of every stream to it, which costs more than the page does. Each page has its own cookies, cache and
 * connections, as with ten users; pages of one profile would share six connections.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { spawnGuarded } from '../test/control-plane/lifeline.ts';
import { cpuMs } from './profile.ts';

export interface Readers {
  /** Processor time that they have used so far. */
  cpuMs(): Promise<number>;
  close(): Promise<void>;
}

const ESTABLISHED = '01';
const LOOK_MS = 100;
const PATIENCE_MS = 60_000;
const STEADY_MS = 2_000;
/** Of all pages: each redraws its times once a second. */
const STEADY_CPU_MS = 400;

export async function openStreams(address: string, count: number): Promise<Readers> {
  const file = fileURLToPath(new URL('subjects/read-streams.mjs', import.meta.url));
  const child = spawnGuarded(process.execPath, [file, address, String(count)], {
    output: 'pipe',
    input: 'pipe',
  });
  child.stderr?.pipe(process.stderr);
  const ended = once(child, 'exit');
  const failed = ended.then(([code]) =>
    Promise.reject(new Error(`The reader of streams ended with ${code}`)),
  );
  failed.catch(() => undefined);
  await Promise.race([once(createInterface({ input: child.stdout as Readable }), 'line'), failed]);
  return {
    cpuMs: async () => cpuMs(child.pid ?? 0),
    async close() {
      (child.stdin as Writable).end();
      await ended;
    },
  };
}

export async function openPages(browser: Browser, address: string, count: number): Promise<Readers> {
  const devtools = await browser.newBrowserCDPSession();
  const port = Number(new URL(address).port);
  const before = connectionsAt(port);
  const contexts: string[] = [];
  for (let page = 0; page < count; page++) {
    const { browserContextId } = await devtools.send('Target.createBrowserContext');
    contexts.push(browserContextId);
    await devtools.send('Target.createTarget', { url: `${address}/ui/#/w`, browserContextId });
  }
  const used = async (): Promise<number> => {
    const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0);
  };
  const deadline = performance.now() + PATIENCE_MS;
  while (connectionsAt(port) - before < count) {
    if (performance.now() > deadline) throw new Error(`Chromium did not open ${count} pages`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  // A page that starts needs as much processor time as in minutes of following.
  for (let last = Number.NEGATIVE_INFINITY, now = await used(); now - last > STEADY_CPU_MS; ) {
    await new Promise((resolve) => setTimeout(resolve, STEADY_MS));
    [last, now] = [now, await used()];
  }
  return {
    cpuMs: used,
    async close() {
      for (const browserContextId of contexts)
        await devtools.send('Target.disposeBrowserContext', { browserContextId });
      await devtools.detach();
    },
  };
}

/** Established connections to a port of this machine. */
function connectionsAt(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const [, ...lines] = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n');
  return lines.filter((line) => {
    const [, address = '', , state] = line.trim().split(/\s+/);
    return address.endsWith(local) && state === ESTABLISHED;
  }).length;
}
