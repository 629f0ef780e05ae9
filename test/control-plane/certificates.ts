/**
 * A certificate authority for one control plane.
 *
 * In: names. Out: PEM certificates and keys (ECDSA, P-256) that verify against the authority's certificate.
 * Servers get the addresses they are reached at, clients a user name and groups, which is how Kubernetes reads
 * the subject of a client certificate. Serials are random; nothing is revoked.
 *
 * Stands on its own, although the packages write certificates too: what judges them must not share their code.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import {
  bitString,
  boolean,
  encode,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from './der.ts';

export interface KeyedCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface Validity {
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

export interface CertificateAuthority extends KeyedCertificate {
  /** `names` are the host names and IPv4 addresses that the server is reached at. */
  issueServer(names: readonly string[], validity?: Validity): KeyedCertificate;
  issueClient(user: string, groups?: readonly string[], validity?: Validity): KeyedCertificate;
}

const oids = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

const dnsName = 2;
const ipAddress = 7;
const hour = 3_600_000;
const tenYears = 87_600 * hour;

export function createAuthority(commonName: string): CertificateAuthority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer: Issuer = {
    name: distinguishedName(commonName, []),
    key: own.privateKey,
    id: keyId(own.publicKey),
  };
  const issue = (name: Buffer, validity: Validity, extensions: readonly Buffer[]): KeyedCertificate => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const usage = extension(oids.keyUsage, bitString(Buffer.from([0b1000_0000]), 7), true);
    return {
      certificate: signed(issuer, name, pair.publicKey, validity, [usage, ...extensions]),
      key: privatePem(pair.privateKey),
    };
  };
  const authority = [
    extension(oids.basicConstraints, sequence(boolean(true)), true),
    extension(oids.keyUsage, bitString(Buffer.from([0b0000_0110]), 1), true),
  ];
  return {
    certificate: signed(issuer, issuer.name, own.publicKey, {}, authority),
    key: privatePem(own.privateKey),
    issueServer: (names, validity = {}) =>
      issue(distinguishedName(names[0] ?? 'server', []), validity, [
        extension(oids.extendedKeyUsage, sequence(objectIdentifier(oids.serverAuth))),
        extension(oids.subjectAltName, sequence(...names.map(alternativeName))),
      ]),
    issueClient: (user, groups = [], validity = {}) =>
      issue(distinguishedName(user, groups), validity, [
        extension(oids.extendedKeyUsage, sequence(objectIdentifier(oids.clientAuth))),
      ]),
  };
}

interface Issuer {
  readonly name: Buffer;
  readonly key: KeyObject;
  readonly id: Buffer;
}

function signed(
  issuer: Issuer,
  subject: Buffer,
  publicKey: KeyObject,
  { notBefore = new Date(Date.now() - hour), notAfter = new Date(Date.now() + tenYears) }: Validity,
  extensions: readonly Buffer[],
): string {
  const algorithm = sequence(objectIdentifier(oids.ecdsaWithSha256));
  const version3 = explicit(0, integer(Buffer.from([2])));
  const body = sequence(
    version3,
    integer(randomBytes(16)),
    algorithm,
    issuer.name,
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(
      3,
      sequence(
        ...extensions,
        extension(oids.subjectKeyIdentifier, octetString(keyId(publicKey))),
        extension(oids.authorityKeyIdentifier, sequence(implicit(0, issuer.id))),
      ),
    ),
  );
  const certificate = sequence(body, algorithm, bitString(sign('sha256', body, issuer.key)));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function distinguishedName(commonName: string, organizations: readonly string[]): Buffer {
  const attribute = (oid: string, value: string) => set(sequence(objectIdentifier(oid), utf8String(value)));
  return sequence(
    ...organizations.map((group) => attribute(oids.organization, group)),
    attribute(oids.commonName, commonName),
  );
}

function extension(oid: string, value: Buffer, critical = false): Buffer {
  return sequence(objectIdentifier(oid), ...(critical ? [boolean(true)] : []), octetString(value));
}

function alternativeName(name: string): Buffer {
  if (isIP(name) === 4) return encode(0x80 | ipAddress, Buffer.from(name.split('.').map(Number)));
  return encode(0x80 | dnsName, Buffer.from(name));
}

/** The usual identifier: a digest of the key's bits. Their 65 bytes (P-256, uncompressed) end the encoding. */
function keyId(publicKey: KeyObject): Buffer {
  const bits = publicKey.export({ type: 'spki', format: 'der' }).subarray(-65);
  return createHash('sha1').update(bits).digest();
}

function privatePem(key: KeyObject): string {
  return key.export({ type: 'sec1', format: 'pem' }).toString();
}
