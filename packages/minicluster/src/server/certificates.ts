/** A certificate authority, the server's certificate, and client certificates. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import {
  bits,
  boolean,
  der,
  explicit,
  implicit,
  integer,
  octets,
  oid,
  pem,
  sequence,
  set,
  time,
  utf8,
} from './der.ts';

export interface Certificate {
  /** PEM */
  readonly certificate: string;
  /** PEM, PKCS #8 */
  readonly key: string;
}

interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

interface Request {
  readonly subject: Subject;
  readonly extensions: Uint8Array[];
  readonly days: number;
}

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const DAY_MS = 24 * 3_600_000;

/** Clients check certificates against the real time, so these do not follow a virtual clock. */
export class CertificateAuthority {
  readonly #key: KeyObject;
  readonly #subject: Subject = { commonName: 'minicluster-ca' };
  readonly certificate: string;

  constructor(now: number) {
    const { privateKey, publicKey } = newKeys();
    this.#key = privateKey;
    this.certificate = this.#issue(now, publicKey, {
      subject: this.#subject,
      days: 3650,
      extensions: [
        extension('2.5.29.19', true, sequence(boolean(true))),
        // keyCertSign, digitalSignature
        extension('2.5.29.15', true, bits(Buffer.from([0x84]), 2)),
      ],
    });
  }

  /** For a server with these names and addresses. */
  serverCertificate(now: number, hosts: readonly string[]): Certificate {
    return this.#leaf(now, { commonName: 'kube-apiserver' }, '1.3.6.1.5.5.7.3.1', [
      extension('2.5.29.17', false, sequence(...hosts.map(alternativeName))),
    ]);
  }

  /** For a client: the common name is the user, the organisations are the groups. */
  clientCertificate(now: number, user: string, groups: readonly string[]): Certificate {
    return this.#leaf(now, { commonName: user, organizations: groups }, '1.3.6.1.5.5.7.3.2', []);
  }

  #leaf(now: number, subject: Subject, usage: string, extensions: Uint8Array[]): Certificate {
    const { privateKey, publicKey } = newKeys();
    const certificate = this.#issue(now, publicKey, {
      subject,
      days: 365,
      extensions: [
        // digitalSignature
        extension('2.5.29.15', true, bits(Buffer.from([0x80]), 7)),
        extension('2.5.29.37', false, sequence(oid(usage))),
        ...extensions,
      ],
    });
    return { certificate, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
  }

  #issue(now: number, publicKey: KeyObject, { subject, extensions, days }: Request): string {
    const content = sequence(
      explicit(0, integer(Uint8Array.of(2))),
      integer(randomBytes(16)),
      ECDSA_WITH_SHA256,
      name(this.#subject),
      sequence(time(new Date(now - DAY_MS)), time(new Date(now + days * DAY_MS))),
      name(subject),
      publicKey.export({ type: 'spki', format: 'der' }),
      explicit(3, sequence(...extensions)),
    );
    const signature = sign('sha256', content, this.#key);
    return pem('CERTIFICATE', sequence(content, ECDSA_WITH_SHA256, bits(signature)));
  }
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

function name({ commonName, organizations = [] }: Subject): Uint8Array {
  const attributes = [
    ...organizations.map((value) => [ORGANIZATION, value] as const),
    [COMMON_NAME, commonName] as const,
  ];
  return sequence(...attributes.map(([type, value]) => set(sequence(oid(type), utf8(value)))));
}

const extension = (id: string, critical: boolean, value: Uint8Array): Uint8Array =>
  sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value));

function alternativeName(host: string): Uint8Array {
  return isIP(host) ? implicit(7, address(host)) : der(0x82, Buffer.from(host));
}

function address(host: string): Uint8Array {
  if (isIP(host) === 4) return Buffer.from(host.split('.').map(Number));
  const [left = '', right = ''] = host.split('::');
  const groups = (text: string): string[] => (text ? text.split(':') : []);
  const missing = 8 - groups(left).length - groups(right).length;
  const all = [...groups(left), ...Array.from({ length: missing }, () => '0'), ...groups(right)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
