/**
 * Issues the two certificates of a webhook server: its own CA and a serving certificate signed by it. P-256 keys,
 * ECDSA with SHA-256, X.509 v3; written with `der.ts`, signed and read back by node:crypto.
 */
import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import {
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  namedBits,
  octetString,
  oid,
  sequence,
  setOfOne,
  time,
  utf8,
} from './der.ts';

/** PEM both. */
export interface KeyedCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

const OID = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

const KEY_USAGE = { digitalSignature: 0, keyCertSign: 5, crlSign: 6 } as const;

const SIGNATURE_ALGORITHM = sequence(oid(OID.ecdsaWithSha256));

/** A certificate authority that can sign serving certificates only. */
export function issueAuthority(commonName: string, validity: Validity): KeyedCertificate {
  const { publicKey, privateKey } = newKeys();
  const keyId = keyIdOf(publicKey);
  const certificate = issue({
    subject: commonName,
    issuer: commonName,
    validity,
    publicKey,
    signingKey: privateKey,
    extensions: [
      extension(OID.basicConstraints, true, sequence(boolean(true), integer(Buffer.from([0])))),
      extension(OID.keyUsage, true, namedBits(KEY_USAGE.keyCertSign, KEY_USAGE.crlSign)),
      extension(OID.subjectKeyIdentifier, false, octetString(keyId)),
    ],
  });
  return { certificate, key: pemOf(privateKey) };
}

/** A serving certificate for these DNS names and IP addresses. */
export function issueServing(
  authority: { readonly certificate: string; readonly key: KeyObject },
  names: readonly string[],
  validity: Validity,
): KeyedCertificate {
  const [first] = names;
  if (first === undefined)
    throw new TypeError('A serving certificate needs at least one DNS name or IP address');
  const issuer = new X509Certificate(authority.certificate);
  const { publicKey, privateKey } = newKeys();
  const certificate = issue({
    // A common name holds 64 characters; clients ignore it if there are alternative names.
    subject: first.slice(0, 64),
    issuer: commonNameOf(issuer.subject),
    validity,
    publicKey,
    signingKey: authority.key,
    extensions: [
      extension(OID.basicConstraints, true, sequence()),
      extension(OID.keyUsage, true, namedBits(KEY_USAGE.digitalSignature)),
      extension(OID.extendedKeyUsage, false, sequence(oid(OID.serverAuth))),
      extension(OID.subjectAltName, false, sequence(...names.map(generalName))),
      extension(OID.subjectKeyIdentifier, false, octetString(keyIdOf(publicKey))),
      extension(OID.authorityKeyIdentifier, false, sequence(implicit(0, keyIdOf(issuer.publicKey)))),
    ],
  });
  return { certificate, key: pemOf(privateKey) };
}

interface Issuing {
  readonly subject: string;
  readonly issuer: string;
  readonly validity: Validity;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

function issue({ subject, issuer, validity, publicKey, signingKey, extensions }: Issuing): string {
  const version3 = explicit(0, integer(Buffer.from([2])));
  const body = sequence(
    version3,
    integer(serialNumber()),
    SIGNATURE_ALGORITHM,
    name(issuer),
    sequence(time(validity.notBefore), time(validity.notAfter)),
    name(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, { key: signingKey, dsaEncoding: 'der' });
  return toPem('CERTIFICATE', sequence(body, SIGNATURE_ALGORITHM, bitString(signature)));
}

/** 127 random bits: positive, and far from any collision. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return bytes;
}

function name(commonName: string): Buffer {
  return sequence(setOfOne(sequence(oid(OID.commonName), utf8(commonName))));
}

function extension(id: string, critical: boolean, value: Uint8Array): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octetString(value));
}

function generalName(value: string): Buffer {
  const dnsName = 2;
  const ipAddress = 7;
  return isIP(value) ? implicit(ipAddress, addressBytes(value)) : implicit(dnsName, Buffer.from(value));
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const middle = new Array<number>(8 - left.length - right.length).fill(0);
  return Buffer.from([...left, ...middle, ...right].flatMap((group) => [group >> 8, group & 0xff]));
}

function newKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
}

/** The usual choice: SHA-1 of the public key's bits. An identifier, not a security measure. */
function keyIdOf(publicKey: KeyObject): Buffer {
  // The key's bits are the last 65 bytes of a P-256 SubjectPublicKeyInfo.
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha1').update(spki.subarray(-65)).digest();
}

function commonNameOf(subject: string): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? '';
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function toPem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
