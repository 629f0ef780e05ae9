import { describe, expect, it } from 'vitest';
import { evictionStart, formatEviction } from './eviction.ts';

const evicted = { mark: '{"n":1}', workload: { metadata: { uid: 'uid-web' } } };
const note = formatEviction(evicted, 1500);

describe('the note of an eviction', () => {
  it('has the start, for this content and this workload', () => {
    expect(evictionStart(note, evicted)).toBe(1500);
    expect(evictionStart(note, { ...evicted, mark: '{"n":2}' })).toBeUndefined();
    expect(evictionStart(note, { ...evicted, workload: { metadata: { uid: 'uid-other' } } })).toBeUndefined();
  });

  it('names the content by a short hash', () => {
    expect(note).toMatch(/^\{"for":"[\w-]{12}","at":1500\}$/);
  });

  it.each([
    ['no note', undefined],
    ['no JSON', '{'],
    ['a start that is no number', note.replace('1500', '"1500"')],
    ['no content', '{"at":1500}'],
  ])('%s has no start', (_, text) => {
    expect(evictionStart(text, evicted)).toBeUndefined();
  });
});
