/**
 * The whole server answers the cases as the real one did. `recorded.test.ts` compares the single functions with the
 * same answers, which shows where a difference comes from.
 */
import { readFileSync } from 'node:fs';
import { VirtualClock } from '@reloader/runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  caseNames,
  comparable,
  type Recorded,
  type RecordedAnswer,
  replay,
} from '../../testdata/schema/replay.ts';
import { connectInProcess } from '../../testdata/wire/in-process.ts';
import { type Minicluster, startMinicluster } from '../minicluster.ts';

const recorded = JSON.parse(
  readFileSync(new URL('../../testdata/schema/recorded.generated.json', import.meta.url), 'utf8'),
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
