/** Times that programs read are RFC 3339: no seconds since the epoch, no other form. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { play } from './play.ts';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const IS_TIME = /^(?:at|until|ends|since|time|from|to)$|(?:At|Until|Since|Time|lastReload|deadline)$/;
/** As seconds since the epoch, a time in 2001. */
const LIKE_AN_EPOCH = 1_000_000_000;

/** `path: value` of everything that looks like a time or is written as one. */
function timesIn(value: unknown, path: string): [path: string, value: unknown][] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, each]) => timesIn(each, `${path}.${name}`));
  }
  const name = path.split('.').at(-1) ?? '';
  const isNumber = typeof value === 'number' && value > LIKE_AN_EPOCH;
  const isText = typeof value === 'string' && IS_TIME.test(name) && /\d/.test(value);
  return isNumber || isText ? [[path, value]] : [];
}

test('in what every command prints with -o json, and in the audit log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reloader-times-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'audit.jsonl');
  const { command, change, stage } = await play(['--audit-log', file], {
    auto: 'true',
    'batch-window': '1m',
  });
  await change('first');
  await stage.clock.advance(90_000);
  await change('second');
  await stage.clock.advance(5_000);
  const found: [path: string, value: unknown][] = [];
  for (const words of [
    ['explain', 'deployment/web'],
    ['what-if', 'secret/credentials'],
    ['history'],
    ['status'],
  ]) {
    const { out } = await command(...words, '-o', 'json');
    const times = timesIn(JSON.parse(out), words[0] ?? '');
    expect(times, out).not.toEqual([]);
    found.push(...times);
  }
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n'))
    found.push(...timesIn(JSON.parse(line), 'audit'));
  expect(found.filter(([, value]) => typeof value !== 'string' || !RFC_3339.test(value))).toEqual([]);
  expect(found.length).toBeGreaterThan(10);
});
