/**
 * The page at `/ui/`: built files, found at run time beside this program.
 *
 * In: requests. Out: a file of the folder, compressed if the client accepts that. Guarantees: only files that were in
 * the folder at the first request are served, whatever the path; files with a content hash in their name may be cached
 * forever, everything else is revalidated each time.
 */

import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { takesGzip } from './gzip.ts';
import { PAGE_HEADERS } from './page-headers.ts';

export const PAGE_PATH = '/ui/';

/** The output of the build. Sources and built files are at the same depth below the package. */
const BUILT = fileURLToPath(new URL('../../dist/ui', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const HASHED = /-[A-Z0-9]{8}\.(js|css)$/;

interface File {
  readonly plain: Buffer;
  readonly zipped: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

type Response = Pick<ServerResponse, 'writeHead' | 'end'>;

export class Page {
  readonly #folder: string;
  #files: Promise<ReadonlyMap<string, File>> | undefined;

  constructor(folder = BUILT) {
    this.#folder = folder;
  }

  async serve(
    path: string,
    { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
    response: Response,
  ): Promise<void> {
    if (method !== 'GET' && method !== 'HEAD')
      return refuse(response, 405, 'only GET, HEAD', { allow: 'GET, HEAD' });
    // The page's links are relative, so its address must end with a slash.
    if (`${path}/` === PAGE_PATH) {
      response.writeHead(308, { ...PAGE_HEADERS, location: PAGE_PATH.slice(1) }).end();
      return;
    }
    this.#files ??= read(this.#folder);
    const files = await this.#files;
    const file = files.get(path.slice(PAGE_PATH.length) || 'index.html');
    if (files.size === 0) {
      return refuse(response, 404, 'The page is not built: run "npm run build" in the repository first');
    }
    if (!file) return refuse(response, 404, 'There is no such file');
    const zip = takesGzip(headers);
    const body = zip ? file.zipped : file.plain;
    response.writeHead(200, {
      ...PAGE_HEADERS,
      ...file.headers,
      ...(zip && { 'content-encoding': 'gzip' }),
      vary: 'accept-encoding',
      'content-length': body.length,
    });
    response.end(method === 'HEAD' ? undefined : body);
  }
}

function refuse(
  response: Response,
  status: number,
  text: string,
  more: Readonly<Record<string, string>> = {},
): void {
  response
    .writeHead(status, { ...PAGE_HEADERS, ...more, 'content-type': 'text/plain; charset=utf-8' })
    .end(`${text}\n`);
}

async function read(folder: string): Promise<ReadonlyMap<string, File>> {
  const names = await readdir(folder).catch(() => []);
  const known = names.filter((name) => TYPES[extname(name)] !== undefined);
  const files = known.map(async (name): Promise<[string, File]> => {
    const plain = await readFile(join(folder, name));
    const headers = {
      'content-type': TYPES[extname(name)] ?? '',
      ...(HASHED.test(name) && { 'cache-control': 'public, max-age=31536000, immutable' }),
    };
    return [name, { plain, zipped: gzipSync(plain, { level: 9 }), headers }];
  });
  return new Map(await Promise.all(files));
}
