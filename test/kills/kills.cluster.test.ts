import { testKills } from './suite.ts';

testKills([
  {
    workloads: 40,
    changes: 120,
    operatorKills: 6,
    serverKills: 1,
    pace: 200,
    flags: ['--settle=0s'],
    timeoutMs: 240_000,
  },
]);
