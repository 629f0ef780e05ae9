import { describe } from 'vitest';
import { testKills } from './suite.ts';

const SIZE = { workloads: 40, changes: 500, operatorKills: 20, serverKills: 5, timeoutMs: 900_000 };

// Each with its own control plane, one after the other.
describe('at once', () => testKills([{ ...SIZE, pace: 200, flags: ['--settle=0s'] }]));
describe('after settling', () => testKills([{ ...SIZE, pace: 200, flags: ['--settle=1s'] }]));
