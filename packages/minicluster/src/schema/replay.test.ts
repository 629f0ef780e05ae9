/**
 * The whole server answers the cases as the real one did. `recorded.test.ts` holds the single functions to the same
 * answers, and says where a difference comes from.
 */
import { readFileSync } from 'node:fs';
import { VirtualClock } from '@reloader/runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Minicluster, startMinicluster } from '../minicluster.ts';
import { connectInProcess } from '../wire/cases/in-process.ts';
import { caseNames, comparable, type Recorded, type RecordedAnswer, replay } from './cases/replay.ts';

const recorded = JSON.parse(
  readFileSync(new URL('./cases/recorded.generated.json', import.meta.url), 'utf8'),
) as Recorded;

let cluster: Minicluster;
let answers: Recorded;

beforeAll(async () => {
  const clock = new VirtualClock();
  cluster = await startMinicluster({ clock, seed: 1, workloads: false });
  answers = await replay(
    connectInProcess(() => cluster, clock),
    async () => undefined,
  );
});

afterAll(() => cluster.stop());

describe.each(Object.keys(caseNames) as (keyof Recorded)[])('%s', (part) => {
  it.each(caseNames[part])('%s', (name) => {
    expect(comparable(answers[part][name] as RecordedAnswer)).toEqual(
      comparable(recorded[part][name] as RecordedAnswer),
    );
  });
});
