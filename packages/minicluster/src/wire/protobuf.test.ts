/** Objects of every built-in kind, as written by Go's own serializers (`generate/gotypes/samples.go`). */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../model/status.ts';
import { goStructNamed } from '../schema/go-types.ts';
import { readTyped, zeroObject } from '../schema/typed.ts';
import { encodeProtobuf } from './encode.ts';
import { readMessage } from './messages.ts';
import { decodeProtobuf } from './protobuf.ts';
import { WireError } from './wire-reader.ts';
import { MessageWriter } from './wire-writer.ts';

interface Sample {
  readonly kind: string;
  readonly empty: Record<string, unknown>;
  readonly json: Record<string, unknown>;
  readonly protobuf: string;
}

const samples = JSON.parse(
  readFileSync(new URL('../../testdata/wire/samples.generated.json', import.meta.url), 'utf8'),
) as Sample[];

const gvkOf = (name: string) => {
  const [group = '', version = '', kind = ''] = name.split('/');
  return { group, version, kind };
};
const typeOf = (name: string) => {
  const { group, version, kind } = gvkOf(name);
  return { apiVersion: group ? `${group}/${version}` : version, kind };
};
const bytesOf = ({ protobuf }: Sample): Uint8Array => new Uint8Array(Buffer.from(protobuf, 'base64'));

describe('protobuf bodies', () => {
  it.each(samples)('$kind is read as the JSON that Go writes', (sample) => {
    const bytes = bytesOf(sample);
    expect(readTyped(decodeProtobuf(bytes), gvkOf(sample.kind)).object).toEqual(sample.json);
  });

  it.each(samples)('$kind is written byte for byte as Go writes it', (sample) => {
    const written = encodeProtobuf({ ...sample.json, ...typeOf(sample.kind) });
    expect(Buffer.from(written ?? []).toString('hex')).toBe(Buffer.from(bytesOf(sample)).toString('hex'));
  });

  it.each(['', 'k8s', 'json {}', 'k8s\0\xff', 'k8s\0\x12\x05ab'])('%j is refused with 400', (text) => {
    const bytes = new Uint8Array(Buffer.from(text, 'latin1'));
    expect(() => decodeProtobuf(bytes)).toThrow(StatusError);
  });

  it('of an unknown kind are refused with 400', () => {
    const name = Buffer.from('Nope');
    const typeMeta = Buffer.from([0x0a, 2, 0x76, 0x31, 0x12, name.length, ...name]);
    const bytes = Buffer.from([...Buffer.from('k8s\0'), 0x0a, typeMeta.length, ...typeMeta]);
    expect(() => decodeProtobuf(bytes)).toThrow('no kind "Nope" is registered for version "v1"');
  });

  it('that are nested without end are refused', () => {
    const { wire } = goStructNamed('v1.JSONSchemaProps');
    const not = [...wire.values()].find(({ name }) => name === 'not')?.number ?? 0;
    let bytes: Uint8Array = new Uint8Array();
    for (let i = 0; i < 2000; i++) bytes = new MessageWriter().bytes(not, bytes).finish();
    expect(() => readMessage(bytes, goStructNamed('v1.JSONSchemaProps'))).toThrow(WireError);
  });

  it('that were damaged are read or refused, and nothing else happens', () => {
    const damage = fc.tuple(fc.constantFrom(...samples), fc.nat(), fc.nat({ max: 255 }), fc.boolean());
    fc.assert(
      fc.property(damage, ([sample, position, byte, cut]) => {
        const bytes = bytesOf(sample);
        const at = 4 + (position % (bytes.length - 4));
        bytes[at] = byte;
        try {
          decodeProtobuf(cut ? bytes.subarray(0, at) : bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('JSON bodies of built-in kinds', () => {
  it.each(samples)('$kind comes back as Go writes it, and needs no copy', ({ kind, json }) => {
    const { object, unknown } = readTyped(json, gvkOf(kind));
    expect(object).toBe(json);
    expect(unknown).toEqual([]);
  });

  it.each(samples)('an empty $kind has what Go always writes', ({ kind, empty }) => {
    expect(zeroObject(gvkOf(kind))).toEqual(empty);
  });
});
