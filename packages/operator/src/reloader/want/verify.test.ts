import { describe, expect, it } from 'vitest';
import type { ConfigFacts, TargetFacts } from '../model/config.ts';
import { DEFAULT_VERIFY, type Verify } from '../model/verify.ts';
import { full, type Short } from './annotations.test.support.ts';
import { wantOf } from './want.ts';
import { configFacts, defaultSettings, fakeWorld, targetFacts, workloadFacts } from './world.test.support.ts';

const QUICK: Verify = { timeoutMs: 60_000, stableForMs: 5_000, maxRestarts: 3 };

function asked(
  annotations: Short,
  config?: Partial<ConfigFacts>,
  target: Partial<TargetFacts> = {},
  verify = false,
) {
  const configs = config ? [configFacts({ name: 'c', targets: [targetFacts(target)], ...config })] : [];
  const workload = workloadFacts({ annotations: full(annotations) });
  const { policy, problems } = wantOf(workload, fakeWorld({ configs }), defaultSettings({ verify }));
  return { verify: policy.verify, problems: problems.map(({ reason }) => reason) };
}

describe('Whether reloads of a workload are verified', () => {
  const details = { 'verify-timeout': '1m', 'verify-stable-for': '5s', 'verify-max-restarts': '3' };
  it.each<[string, Parameters<typeof asked>, Verify | undefined, string[]]>([
    ['nobody asks', [{}], undefined, []],
    ['details alone ask for nothing', [details], undefined, []],
    ['an annotation asks', [{ verify: 'true' }], DEFAULT_VERIFY, []],
    ['with its own limits', [{ verify: 'true', ...details }], QUICK, []],
    ['"false" does not ask', [{ verify: 'false' }], undefined, []],
    ['any other word does', [{ verify: 'yes' }], DEFAULT_VERIFY, ['UnknownValue']],
    [
      'a limit that is none',
      [{ verify: 'true', 'verify-max-restarts': '-1' }],
      DEFAULT_VERIFY,
      ['InvalidNumber'],
    ],
    ['the flag asks', [{}, undefined, {}, true], DEFAULT_VERIFY, []],
    ['the flag, with details of the workload', [details, undefined, {}, true], QUICK, []],
    ['the flag, against the annotation', [{ verify: 'false' }, undefined, {}, true], undefined, []],
    ['a config asks', [{}, { verify: QUICK }], QUICK, []],
    ['a config, against the annotation', [{ verify: 'true' }, { verify: QUICK }], QUICK, []],
    ['a target, against its config', [{}, { verify: DEFAULT_VERIFY }, { verify: QUICK }], QUICK, []],
  ])('%s', (_, given, verify, problems) => {
    const found = asked(...given);
    if (verify) expect(found.verify).toMatchObject(verify);
    else expect(found.verify).toBeUndefined();
    expect(found.problems).toEqual(problems);
  });
});
