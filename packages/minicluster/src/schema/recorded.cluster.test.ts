/** The recorded answers are still those of a real API server. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { useControlPlane } from '../../../../test/control-plane/vitest.ts';
import {
  caseNames,
  comparable,
  type Recorded,
  type RecordedAnswer,
  replay,
} from '../../testdata/schema/replay.ts';
import { connect } from '../../testdata/wire/connect.ts';

const recorded = JSON.parse(
  readFileSync(new URL('../../testdata/schema/recorded.generated.json', import.meta.url), 'utf8'),
) as Recorded;
const cluster = useControlPlane();
let answers: Recorded;

beforeAll(async () => {
  const { server, authority, adminToken } = cluster();
  answers = await replay(connect({ url: server, ca: authority.certificate, token: adminToken }), () =>
    delay(1000),
  );
});

describe.each(Object.keys(caseNames) as (keyof Recorded)[])('%s', (part) => {
  it.each(caseNames[part])('%s', (name) => {
    expect(comparable(answers[part][name] as RecordedAnswer)).toEqual(
      comparable(recorded[part][name] as RecordedAnswer),
    );
  });
});
