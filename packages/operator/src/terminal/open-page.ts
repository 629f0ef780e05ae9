/** Opens the user's browser once the page is available. */
import { spawn } from 'node:child_process';
import { sleep, systemClock } from '@reloader/runtime';

const TRIES = 100;
const BETWEEN_MS = 200;

export async function openWhenServed(address: string, signal: AbortSignal): Promise<void> {
  for (let tried = 0; tried < TRIES; tried++) {
    const served = await fetch(address, { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (served) return openInBrowser(address);
    await sleep(systemClock, BETWEEN_MS, signal);
  }
}

/** Does nothing if there is no browser: the address is printed anyway. */
export function openInBrowser(address: string, platform: string = process.platform): void {
  const [program = '', ...rest] = openerOf(platform);
  const child = spawn(program, [...rest, address], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
}

export function openerOf(platform: string): readonly string[] {
  if (platform === 'darwin') return ['open'];
  // `start` interprets its first quoted argument as a title.
  return platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
}
