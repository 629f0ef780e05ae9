import { testEquivalence } from './equivalence.ts';

testEquivalence({ workloads: 18, steps: 5, updates: 60, timeoutMs: 180_000 });
