import { readFileSync } from 'node:fs';

/** Of this package. Sources and built files are equally deep below it. */
export function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
