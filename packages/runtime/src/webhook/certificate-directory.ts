/**
 * A certificate in two files, such as a mounted Secret, reloaded when they change.
 *
 * In: a directory. Out: each matching pair. Guarantees: a change is noticed through the file system or, if that gives
 * no notification (network mounts, symlink swaps), within 10 s; a half-written or mismatched pair is never returned,
 * it is checked again with the next change or after 10 s.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type FSWatcher, watch as watchFiles } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, sleep, systemClock } from '../clock/clock.ts';
import { silentLogger } from '../logging/create-logger.ts';
import type { Logger } from '../logging/logger.ts';
import { CertificateError, type CertificateSource, type ServingPair } from './certificate-source.ts';

/** Where certificates are read from. */
export interface CertificateDirectoryOptions {
  readonly directory: string;
  /** Default `tls.crt` and `tls.key`, as in a Secret of type kubernetes.io/tls. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
}

const POLL_MS = 10_000;

/** Certificates from a folder, read again when they change, as cert-manager writes them. */
export function certificateDirectory(options: CertificateDirectoryOptions): CertificateSource {
  const {
    directory,
    certFile = 'tls.crt',
    keyFile = 'tls.key',
    clock = systemClock,
    logger = silentLogger,
  } = options;
  let known: ServingPair | undefined;
  let complaint: string | undefined;

  const read = async (): Promise<ServingPair | undefined> => {
    try {
      const pair = await readPair(join(directory, certFile), join(directory, keyFile));
      complaint = undefined;
      return pair;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== complaint)
        logger.warn('Cannot use the certificate; checking again later', { directory, error });
      complaint = message;
      return undefined;
    }
  };

  return {
    name: `directory ${directory}`,
    async first(signal) {
      const changes = new DirectoryChanges(directory, clock);
      try {
        for (;;) {
          known = await read();
          if (known) return known;
          await changes.next(signal);
        }
      } finally {
        changes.close();
      }
    },
    async watch(onChange, signal) {
      const changes = new DirectoryChanges(directory, clock);
      try {
        while (!signal.aborted) {
          const pair = await read();
          if (pair && (pair.cert !== known?.cert || pair.key !== known.key)) {
            known = pair;
            onChange(pair);
          }
          await changes.next(signal).catch(() => {});
        }
      } finally {
        changes.close();
      }
    },
  };
}

/** Signals when to check again. A change while nothing waits is signalled at the next wait. */
class DirectoryChanges {
  readonly #directory: string;
  readonly #clock: Clock;
  #watcher: FSWatcher | undefined;
  #moved = false;
  #wake: (() => void) | undefined;

  constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
    this.#open();
  }

  /** Resolves when something in the directory changed, or after the polling interval. */
  async next(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#moved) {
      const wait = new AbortController();
      const end = (): void => wait.abort();
      this.#wake = end;
      signal.addEventListener('abort', end, { once: true });
      await sleep(this.#clock, POLL_MS, wait.signal).catch(() => {});
      signal.removeEventListener('abort', end);
      this.#wake = undefined;
    }
    this.#moved = false;
    signal.throwIfAborted();
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #open(): void {
    try {
      this.#watcher = watchFiles(this.#directory, { persistent: false }, () => this.#onMove());
      this.#watcher.on('error', () => {
        this.close();
        this.#onMove();
      });
    } catch {
      // The directory does not exist yet, or no more watches are available: polling remains.
    }
  }

  #onMove(): void {
    this.#moved = true;
    this.#wake?.();
  }
}

async function readPair(certPath: string, keyPath: string): Promise<ServingPair> {
  const [cert, key] = await Promise.all([readFile(certPath, 'utf8'), readFile(keyPath, 'utf8')]);
  checkPair({ cert, key }, `${certPath} and ${keyPath}`);
  return { cert, key };
}

/** Throws a `CertificateError` unless both can be read and match. */
export function checkPair({ cert, key }: ServingPair, where: string): void {
  let fits: boolean;
  try {
    fits = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw new CertificateError(`${where} do not hold a certificate and a key in PEM`, { cause: error });
  }
  if (!fits) throw new CertificateError(`${where} do not belong together: the key is not the certificate's`);
}
