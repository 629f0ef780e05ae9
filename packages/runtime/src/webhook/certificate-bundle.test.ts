import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  type BundlePolicy,
  type CertificateBundle,
  dueRenewal,
  newBundle,
  renew,
} from './certificate-bundle.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2030, 0, 1);
const policy: BundlePolicy = { names: ['web.team.svc', '10.0.0.1'], authorityDays: 3650, servingDays: 365 };
const bundle = newBundle(policy, NOW);
const other = newBundle(policy, NOW);

const leaf = ({ cert }: CertificateBundle) => new X509Certificate(cert);
const authorities = ({ caBundle }: CertificateBundle) => caBundle.match(/BEGIN CERTIFICATE/g)?.length;

test('a new bundle is good, and its parts belong together', () => {
  expect(dueRenewal(bundle, policy, NOW)).toBe('nothing');
  expect(leaf(bundle).verify(new X509Certificate(bundle.caBundle).publicKey)).toBe(true);
});

test.each<[string, CertificateBundle, number, Partial<BundlePolicy>, string]>([
  ['two thirds of a serving certificate are not over', bundle, NOW + 240 * DAY, {}, 'nothing'],
  ['two thirds of a serving certificate are over', bundle, NOW + 250 * DAY, {}, 'serving'],
  ['a serving certificate has expired', bundle, NOW + 400 * DAY, {}, 'serving'],
  ['two thirds of the CA are over', bundle, NOW + 2500 * DAY, {}, 'all'],
  ['our clock is before the beginning', bundle, NOW - DAY, {}, 'all'],
  ['a name is missing', bundle, NOW, { names: ['web.team.svc', 'new.team.svc'] }, 'serving'],
  ['an address is missing', bundle, NOW, { names: ['10.0.0.2'] }, 'serving'],
  ['a name is not wanted any more', bundle, NOW, { names: ['web.team.svc'] }, 'nothing'],
  ['the serving certificate is garbage', { ...bundle, cert: 'x' }, NOW, {}, 'serving'],
  ['the serving key is garbage', { ...bundle, key: 'x' }, NOW, {}, 'serving'],
  ['the serving key is another', { ...bundle, key: other.key }, NOW, {}, 'serving'],
  [
    'the serving certificate is by another CA',
    { ...bundle, cert: other.cert, key: other.key },
    NOW,
    {},
    'serving',
  ],
  ['the CA is garbage', { ...bundle, caBundle: 'x' }, NOW, {}, 'all'],
  ['the CA key is another', { ...bundle, caKey: other.caKey }, NOW, {}, 'all'],
  ['the CA is no CA', { ...bundle, caBundle: bundle.cert, caKey: bundle.key }, NOW, {}, 'all'],
])('%s', (_, current, now, change, due) => {
  expect(dueRenewal(current, { ...policy, ...change }, now)).toBe(due);
});

test('a renewed serving certificate keeps its CA', () => {
  const later = NOW + 250 * DAY;
  const renewed = renew(bundle, 'serving', policy, later);
  expect(renewed.caBundle).toBe(bundle.caBundle);
  expect(renewed.cert).not.toBe(bundle.cert);
  expect(dueRenewal(renewed, policy, later)).toBe('nothing');
});

test('a new CA signs the new certificate and stands before the old ones, which stay trusted', () => {
  const later = NOW + 2500 * DAY;
  const renewed = renew(bundle, 'all', policy, later);
  expect(dueRenewal(renewed, policy, later)).toBe('nothing');
  expect(renewed.caBundle.endsWith(bundle.caBundle)).toBe(true);
  expect(authorities(renewed)).toBe(2);
});

test('CAs that have expired, and more than three, are dropped', () => {
  const expired = renew(bundle, 'all', policy, NOW + 4000 * DAY);
  expect(authorities(expired)).toBe(1);
  let many = bundle;
  for (let i = 0; i < 4; i++) many = renew(many, 'all', policy, NOW + i);
  expect(authorities(many)).toBe(3);
});

test('nothing due changes nothing', () => {
  expect(renew(bundle, 'nothing', policy, NOW)).toBe(bundle);
});
