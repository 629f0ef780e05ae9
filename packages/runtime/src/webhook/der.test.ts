import { expect, test } from 'vitest';
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
  time,
  utf8,
} from './der.ts';

const hex = (bytes: Buffer): string => bytes.toString('hex');

/** Expected bytes as in the examples of X.690 and RFC 5280, or as `openssl asn1parse` reads them. */
test.each<[string, Buffer, string]>([
  ['false', boolean(false), '010100'],
  ['true', boolean(true), '0101ff'],
  ['zero', integer(Buffer.from([0])), '020100'],
  ['no bytes at all are zero', integer(Buffer.alloc(0)), '020100'],
  ['127', integer(Buffer.from([127])), '02017f'],
  ['128 gets a zero in front, or it would be negative', integer(Buffer.from([128])), '02020080'],
  ['leading zeros are cut', integer(Buffer.from([0, 0, 1, 0])), '02020100'],
  ['a bit string', bitString(Buffer.from([0xab])), '030200ab'],
  ['named bit 0', namedBits(0), '03020780'],
  ['named bits 5 and 6', namedBits(5, 6), '03020106'],
  ['named bit 8 needs a second byte', namedBits(8), '0303070080'],
  ['an octet string', octetString(Buffer.from([1, 2])), '04020102'],
  ['text', utf8('é'), '0c02c3a9'],
  ['an OID with parts above 127', oid('1.2.840.113549'), '06062a864886f70d'],
  ['an OID with a part of three groups', oid('1.3.6.1.4.1.311.21.20'), '06092b0601040182371514'],
  ['an empty sequence', sequence(), '3000'],
  ['a sequence', sequence(boolean(true), boolean(false)), '30060101ff010100'],
  ['an explicit tag', explicit(3, boolean(true)), 'a3030101ff'],
  ['an implicit tag', implicit(2, Buffer.from('ab')), '82026162'],
  [
    'a time before 2050',
    time(Date.UTC(2049, 11, 31, 23, 59, 59, 999)),
    `170d${Buffer.from('491231235959Z').toString('hex')}`,
  ],
  [
    'a time from 2050 on',
    time(Date.UTC(2050, 0, 1)),
    `180f${Buffer.from('20500101000000Z').toString('hex')}`,
  ],
])('%s', (_, written, expected) => {
  expect(hex(written)).toBe(expected);
});

test.each([
  [127, '047f'],
  [128, '048180'],
  [255, '0481ff'],
  [256, '04820100'],
  [65_536, '0483010000'],
])('a content of %i bytes has the header %s', (length, header) => {
  expect(hex(octetString(Buffer.alloc(length)).subarray(0, header.length / 2))).toBe(header);
});
