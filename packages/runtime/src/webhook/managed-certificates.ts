/**
 * A self-managing certificate source: creates a CA and a serving certificate, shares them between replicas through a
 * Secret, renews them in time, and writes the CA into the webhook configurations.
 *
 * In: a client, the Secret's name, the server's names, the webhook configurations. Guarantees: replicas agree on one
 * bundle (create, and read if it already exists; update only with the resourceVersion that was read); a new CA is in
 * every configuration for 5 s before this replica serves with it, and the old one stays next to it, so that no
 * request fails during a rotation; a removed `caBundle` is restored at the next check. Needs: get, create and update
 * on the Secret; get and patch on the configurations.
 */
import type { Client } from '../client/client.ts';
import { AlreadyExistsError, ConflictError } from '../client/errors.ts';
import { Secret, type SecretObject } from '../client/kinds.ts';
import { type Clock, sleep, systemClock } from '../clock/clock.ts';
import { silentLogger } from '../logging/create-logger.ts';
import type { Logger } from '../logging/logger.ts';
import type { Stored } from '../model/types.ts';
import { retryOnConflict } from '../objects/conflict.ts';
import { getIfExists } from '../objects/read.ts';
import { trustAuthority, type WebhookConfigurationRef } from './ca-injection.ts';
import {
  type BundlePolicy,
  type CertificateBundle,
  dueRenewal,
  newBundle,
  renew,
} from './certificate-bundle.ts';
import type { CertificateSource, ServingPair } from './certificate-source.ts';

/** Names, lifetimes and storage of certificates. */
export interface ManagedCertificatesOptions {
  readonly client: Client;
  readonly secret: { readonly namespace: string; readonly name: string };
  /** The Service in front of the server; or `names` for anything else. */
  readonly service?: { readonly namespace: string; readonly name: string } | undefined;
  /** DNS names and IP addresses besides the Service's. */
  readonly names?: readonly string[] | undefined;
  readonly configurations: readonly WebhookConfigurationRef[];
  /** Default ten years. */
  readonly authorityDays?: number | undefined;
  /** Default one year. */
  readonly servingDays?: number | undefined;
  /** How often it checks. Default 10 minutes. */
  readonly checkIntervalMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
}

const RETRY_MS = 5_000;
const TRUST_DELAY_MS = 5_000;

/** Certificates that the operator makes itself, keeps in a Secret, renews, and puts into its webhook configurations. */
export function managedCertificates(options: ManagedCertificatesOptions): CertificateSource {
  return new ManagedCertificates(options);
}

class ManagedCertificates implements CertificateSource {
  readonly name: string;
  readonly #options: ManagedCertificatesOptions;
  readonly #policy: BundlePolicy;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #served: CertificateBundle | undefined;

  constructor(options: ManagedCertificatesOptions) {
    const { secret, service, names = [], authorityDays = 3650, servingDays = 365 } = options;
    this.name = `Secret ${secret.namespace}/${secret.name}`;
    this.#options = options;
    this.#policy = {
      names: [...(service ? serviceNames(service) : []), ...names],
      authorityDays,
      servingDays,
    };
    if (this.#policy.names.length === 0) {
      throw new TypeError(
        'Managed certificates need a service or names: under which name is the server called?',
      );
    }
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
  }

  async first(signal: AbortSignal): Promise<ServingPair> {
    for (;;) {
      const bundle = await this.#look(signal);
      if (bundle) {
        this.#served = bundle;
        return { cert: bundle.cert, key: bundle.key };
      }
      await sleep(this.#clock, RETRY_MS, signal);
    }
  }

  async watch(onChange: (pair: ServingPair) => void, signal: AbortSignal): Promise<void> {
    const { checkIntervalMs = 600_000 } = this.#options;
    let wait = checkIntervalMs;
    try {
      for (;;) {
        await sleep(this.#clock, wait, signal);
        const bundle = await this.#look(signal);
        wait = bundle ? checkIntervalMs : RETRY_MS;
        if (bundle) await this.#changeOver(bundle, onChange, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #changeOver(
    next: CertificateBundle,
    onChange: (pair: ServingPair) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { cert, caBundle } = this.#served ?? {};
    if (cert === next.cert) return;
    // API servers learn of the new CA through their own watches; until then they trust the current one.
    if (caBundle !== next.caBundle) await sleep(this.#clock, TRUST_DELAY_MS, signal);
    this.#served = next;
    onChange({ cert: next.cert, key: next.key });
  }

  /** One complete round. Undefined if it failed; then it is retried. */
  async #look(signal: AbortSignal): Promise<CertificateBundle | undefined> {
    try {
      const bundle = await this.#agree(signal);
      for (const reference of this.#options.configurations) {
        const done = await trustAuthority(this.#options.client, reference, bundle.caBundle, {
          signal,
          clock: this.#clock,
        });
        if (done === 'patched')
          this.#logger.info('Wrote the CA into the webhook configurations', { ...reference });
      }
      return bundle;
    } catch (error) {
      signal.throwIfAborted();
      const secret = this.name;
      this.#logger.warn('Cannot renew the webhook certificate; retrying', { secret, error });
      return undefined;
    }
  }

  /** The bundle of all replicas, created or renewed if needed. */
  async #agree(signal: AbortSignal): Promise<CertificateBundle> {
    const { client, secret: key } = this.#options;
    return await retryOnConflict(
      async () => {
        const now = this.#clock.now();
        const live = await getIfExists(client, Secret, key, signal);
        // If the Secret was lost, we still serve with its CA, which must stay trusted.
        if (!live) return await this.#create(newBundle(this.#policy, now, this.#served), signal);
        const current = bundleIn(live);
        const due = current ? dueRenewal(current, this.#policy, now) : 'all';
        if (current && due === 'nothing') return current;
        const next = current
          ? renew(current, due, this.#policy, now)
          : newBundle(this.#policy, now, this.#served);
        await client.update(Secret, { ...live, data: { ...live.data, ...dataOf(next) } }, { signal });
        this.#logger.info('Renewed the webhook certificate', { secret: this.name, renewed: due });
        return next;
      },
      { signal, clock: this.#clock },
    );
  }

  async #create(bundle: CertificateBundle, signal: AbortSignal): Promise<CertificateBundle> {
    const { client, secret } = this.#options;
    const object: SecretObject = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...secret },
      type: 'kubernetes.io/tls',
      data: dataOf(bundle),
    };
    try {
      await client.create(Secret, object, { signal });
      this.#logger.info('Made a webhook CA and certificate', { secret: this.name });
      return bundle;
    } catch (error) {
      // Another replica was faster: use its bundle.
      throw error instanceof AlreadyExistsError ? new ConflictError(error.status) : error;
    }
  }
}

/** The names under which API server and pods call a Service. */
function serviceNames({ namespace, name }: { readonly namespace: string; readonly name: string }): string[] {
  const short = `${name}.${namespace}`;
  return [`${short}.svc`, short, name, `${short}.svc.cluster.local`];
}

function dataOf({ caBundle, caKey, cert, key }: CertificateBundle): Record<string, string> {
  const encode = (pem: string): string => Buffer.from(pem).toString('base64');
  return {
    'ca.crt': encode(caBundle),
    'ca.key': encode(caKey),
    'tls.crt': encode(cert),
    'tls.key': encode(key),
  };
}

/** Undefined if a part is missing: then the Secret cannot be trusted and is filled again. */
function bundleIn({ data = {} }: Stored<SecretObject>): CertificateBundle | undefined {
  const decode = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString();
  const bundle = {
    caBundle: decode('ca.crt'),
    caKey: decode('ca.key'),
    cert: decode('tls.crt'),
    key: decode('tls.key'),
  };
  return Object.values(bundle).every((part) => part !== '') ? bundle : undefined;
}
