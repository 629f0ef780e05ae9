import { testEquivalence } from './equivalence.ts';

testEquivalence({ workloads: 27, steps: 10, updates: 200, timeoutMs: 900_000 });
