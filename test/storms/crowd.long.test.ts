/** O2. */
import { describe, test } from 'vitest';
import { changeAllAtOnce } from './crowd.ts';

describe('O2: 4,000 Secrets change within a second', () => {
  test('4,000 workloads: all are rolled out, each once', () => changeAllAtOnce({ size: 4_000 }));
  test('4,000 workloads with --max-unfinished-rollouts=50: never more than 50 at any instant', () =>
    changeAllAtOnce({ size: 4_000, cap: 50 }));
});
