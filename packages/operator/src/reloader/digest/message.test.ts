import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Message } from './message.ts';

const frame = (bytes: Uint8Array): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length);
  return Buffer.concat([size, bytes]);
};

describe('A message', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 50 }),
    fc.uint8Array({ maxLength: 50 }),
    // Larger than the initial buffer, and larger than the buffer that is kept.
    fc.integer({ min: 10_000, max: 100_000 }).map((size) => new Uint8Array(size).fill(size)),
  );

  it('has the digests of its pieces one after the other, however often it is used', () => {
    const message = new Message();
    const key = Buffer.alloc(32, 7);
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, fc.boolean()), { maxLength: 6 }), (pieces) => {
        const expected = pieces.map(([bytes, framed]) => {
          const whole = Buffer.from(bytes as string);
          return framed ? frame(whole) : whole;
        });
        for (const [bytes, framed] of pieces) {
          if (typeof bytes === 'string') framed ? message.addTextFrame(bytes) : message.addText(bytes);
          else framed ? message.addFrame(bytes) : message.add(bytes);
        }
        const all = Buffer.concat(expected);
        expect(message.length).toBe(all.length);
        expect(message.digest('sha1')).toEqual(createHash('sha1').update(all).digest());
        expect(message.digest('sha256', key)).toEqual(createHmac('sha256', key).update(all).digest());
        message.wipe();
      }),
      { numRuns: 200 },
    );
  });

  it.each([0, 16, 32, 64, 65, 200])('has the HMAC of a key of %i bytes', (length) => {
    const key = Buffer.alloc(length, 5);
    for (const algorithm of ['sha1', 'sha256'] as const) {
      const message = new Message().addText('text');
      const expected = createHmac(algorithm, key).update('text').digest();
      expect(message.digest(algorithm, key)).toEqual(expected);
      expect(message.addText('').digest(algorithm, key)).toEqual(expected);
    }
  });

  it('goes on from an earlier length', () => {
    const message = new Message().addText('head');
    const { length } = message;
    message.addText('one').truncate(length).addText('two');
    expect(message.digest('sha256')).toEqual(createHash('sha256').update('headtwo').digest());
  });

  it('is wiped completely, also after a longer message', () => {
    const message = new Message().addText('a secret that is long').truncate(0).addText('short');
    message.wipe();
    const zeros = createHash('sha256').update(Buffer.alloc(100)).digest();
    expect(message.truncate(100).digest('sha256')).toEqual(zeros);
  });
});
