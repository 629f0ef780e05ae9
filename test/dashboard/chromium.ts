/** Where Chromium is on this machine. */
import { existsSync } from 'node:fs';

const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

export function chromiumPath(): string {
  const found = PLACES.find((path) => path !== undefined && existsSync(path));
  if (found !== undefined) return found;
  throw new Error('Chromium is missing: "apt-get install chromium", or set CHROMIUM to its path');
}
