import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AuditEntry,
  AuditParser,
  auditMarkPath,
  auditPolicyText,
  matches,
  parseEvent,
} from './audit.ts';

interface Line {
  id: string;
  verb?: string;
  stage?: string;
  uri?: string;
}

function line({ id, verb = 'get', stage = 'ResponseComplete', uri = `/${id}` }: Line): string {
  return `${JSON.stringify({
    kind: 'Event',
    auditID: id,
    stage,
    verb,
    requestURI: uri,
    user: { username: 'system:serviceaccount:ns:app' },
    userAgent: 'agent/1',
    objectRef: { resource: 'pods', subresource: 'status', namespace: 'ns', name: 'ä', apiGroup: 'g' },
    responseStatus: { code: 200 },
    requestReceivedTimestamp: '2026-01-02T03:04:05.678901Z',
  })}\n`;
}

function parse(text: string): AuditParser {
  const parser = new AuditParser();
  parser.push(Buffer.from(text));
  return parser;
}

const uris = (parser: AuditParser) => parser.entries.map((entry) => entry.requestURI);

describe('an audit event', () => {
  test('becomes an entry with the fields that tests ask for', () => {
    expect(parseEvent(line({ id: '1' }))?.entry).toEqual({
      verb: 'get',
      user: 'system:serviceaccount:ns:app',
      group: 'g',
      resource: 'pods',
      subresource: 'status',
      namespace: 'ns',
      name: 'ä',
      code: 200,
      userAgent: 'agent/1',
      requestURI: '/1',
      received: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    });
  });

  test('for a path that is no resource has empty fields in place of the missing ones', () => {
    const event = parseEvent(
      '{"stage":"ResponseComplete","auditID":"1","verb":"get","requestURI":"/readyz"}',
    );
    expect(event?.entry).toMatchObject({ resource: '', namespace: '', name: '', user: '', code: 0 });
  });

  test('keeps the body where the level records it', () => {
    const event = parseEvent('{"requestObject":{"data":{"a":"b"}}}');
    expect(event?.entry.requestObject).toEqual({ data: { a: 'b' } });
  });
});

describe('the audit parser', () => {
  test('gives the same entries however the bytes are cut', () => {
    const text = Buffer.from(['1', '2', '3'].map((id) => line({ id })).join(''));
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
        const parser = new AuditParser();
        let start = 0;
        for (const cut of [...cuts.toSorted((a, b) => a - b), text.length]) {
          parser.push(text.subarray(start, cut));
          start = cut;
        }
        expect(parser.entries).toEqual(parse(text.toString()).entries);
        expect(uris(parser)).toEqual(['/1', '/2', '/3']);
        expect(parser.entries[0]?.name).toBe('ä');
      }),
    );
  });

  test('counts a watch when it starts and not again when it ends', () => {
    const watch = { id: 'w', verb: 'watch' };
    const parser = parse(line({ ...watch, stage: 'ResponseStarted' }));
    expect(uris(parser)).toEqual(['/w']);
    parser.push(Buffer.from(line({ id: 'other' }) + line(watch)));
    expect(uris(parser)).toEqual(['/w', '/other']);
  });

  test('counts a request that was answered at once when it ends', () => {
    expect(uris(parse(line({ id: 'w', verb: 'watch' })))).toEqual(['/w']);
  });

  test('passes over a line torn by a kill of the server', () => {
    const torn = line({ id: '2' }).slice(0, 40);
    expect(uris(parse(`${line({ id: '1' })}${torn}\n\n${line({ id: '3' })}`))).toEqual(['/1', '/3']);
  });

  test('waits for the end of a line', () => {
    const parser = parse(line({ id: '1' }).slice(0, -1));
    expect(parser.entries).toEqual([]);
    parser.push(Buffer.from('\n'));
    expect(uris(parser)).toEqual(['/1']);
  });

  test('shows each mark once and keeps it out of the entries', () => {
    const uri = `${auditMarkPath}7`;
    const parser = parse(line({ id: '1', uri }));
    expect(parser.entries).toEqual([]);
    expect(parser.takeMark(`${auditMarkPath}8`)).toBe(false);
    expect(parser.takeMark(uri)).toBe(true);
    expect(parser.takeMark(uri)).toBe(false);
  });
});

describe('a filter', () => {
  const [entry] = parse(line({ id: '1' })).entries as [AuditEntry];

  test.each([
    ['no field', {}, true],
    ['every field', { verb: 'get', resource: 'pods' }, true],
    ['not every field', { verb: 'get', resource: 'secrets' }, false],
    ['its condition', { where: (e: AuditEntry) => e.code < 300 }, true],
    ['its fields but not its condition', { verb: 'get', where: (e: AuditEntry) => e.code >= 300 }, false],
  ])('that asks for %s', (_, filter, expected) => {
    expect(matches(entry, filter)).toBe(expected);
  });
});

test('the policy leaves out the stage at which a request is merely received', () => {
  expect(JSON.parse(auditPolicyText('Request'))).toMatchObject({
    omitStages: ['RequestReceived'],
    rules: [{ level: 'Request' }],
  });
});
