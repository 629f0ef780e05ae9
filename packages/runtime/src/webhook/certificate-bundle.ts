/**
 * A CA and a serving certificate as stored in a Secret, and when they must be renewed. Pure except for key
 * generation: the time is an argument, the next bundle is the result.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { issueAuthority, issueServing } from './x509.ts';

/** PEM, all of it. */
export interface CertificateBundle {
  /** The signing CA, then earlier ones that may still be in use. */
  readonly caBundle: string;
  readonly caKey: string;
  readonly cert: string;
  readonly key: string;
}

export interface BundlePolicy {
  /** The DNS names and IP addresses of the server. */
  readonly names: readonly string[];
  readonly authorityDays: number;
  readonly servingDays: number;
}

const DAY_MS = 86_400_000;
/** Clocks differ a little; a certificate must not be in the future for any of them. */
const BACKDATE_MS = 300_000;
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n?/g;

export type Renewal = 'nothing' | 'serving' | 'all';

/** The part that must be renewed now: anything with less than a third of its lifetime left, or unusable. */
export function dueRenewal(bundle: CertificateBundle, policy: BundlePolicy, now: number): Renewal {
  const authority = authorityOf(bundle);
  if (!authority || remaining(authority, now) < 1 / 3) return 'all';
  return servingIsGood(bundle, authority, policy, now) ? 'nothing' : 'serving';
}

function servingIsGood(
  bundle: CertificateBundle,
  authority: X509Certificate,
  policy: BundlePolicy,
  now: number,
): boolean {
  const serving = parse(bundle.cert);
  if (!serving || !keyFits(serving, bundle.key)) return false;
  if (!serving.verify(authority.publicKey)) return false;
  if (remaining(serving, now) < 1 / 3) return false;
  const covers = (name: string): boolean =>
    (isIP(name) ? serving.checkIP(name) : serving.checkHost(name)) !== undefined;
  return policy.names.every(covers);
}

/** A CA and a serving certificate, both new. CAs of `previous` stay in the bundle while they are valid. */
export function newBundle(
  policy: BundlePolicy,
  now: number,
  previous?: CertificateBundle,
): CertificateBundle {
  const authority = issueAuthority(`webhook-ca-${now}`, validity(now, policy.authorityDays));
  const older = (previous?.caBundle.match(PEM_CERTIFICATE) ?? []).filter((pem) => {
    const certificate = parse(pem);
    return certificate !== undefined && Date.parse(certificate.validTo) > now;
  });
  // The newest three are enough for any server that is not years behind.
  const caBundle = [authority.certificate, ...older].slice(0, 3).join('');
  return renewServing({ caBundle, caKey: authority.key, cert: '', key: '' }, policy, now);
}

/** The same CA, a new serving certificate. */
export function renewServing(
  bundle: CertificateBundle,
  policy: BundlePolicy,
  now: number,
): CertificateBundle {
  const [certificate = ''] = bundle.caBundle.match(PEM_CERTIFICATE) ?? [];
  const authority = { certificate, key: createPrivateKey(bundle.caKey) };
  const serving = issueServing(authority, policy.names, validity(now, policy.servingDays));
  return { ...bundle, cert: serving.certificate, key: serving.key };
}

export function renew(
  bundle: CertificateBundle,
  renewal: Renewal,
  policy: BundlePolicy,
  now: number,
): CertificateBundle {
  if (renewal === 'nothing') return bundle;
  return renewal === 'all' ? newBundle(policy, now, bundle) : renewServing(bundle, policy, now);
}

function authorityOf(bundle: CertificateBundle): X509Certificate | undefined {
  const certificate = parse(bundle.caBundle.match(PEM_CERTIFICATE)?.[0] ?? '');
  return certificate?.ca && keyFits(certificate, bundle.caKey) ? certificate : undefined;
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function keyFits(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** The remaining share of a certificate's lifetime; negative if it has expired. */
function remaining(certificate: X509Certificate, now: number): number {
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  return now < from ? 0 : (to - now) / (to - from);
}

function validity(now: number, days: number): { readonly notBefore: number; readonly notAfter: number } {
  return { notBefore: now - BACKDATE_MS, notAfter: now + days * DAY_MS };
}
