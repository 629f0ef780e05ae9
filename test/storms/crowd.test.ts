/** O2, small: the whole of it is in the long tests. */
import { describe, test } from 'vitest';
import { changeAllAtOnce } from './crowd.ts';

describe('O2: every Secret changes within a second', { timeout: 120_000 }, () => {
  test('100 workloads: all are rolled out, each once', () => changeAllAtOnce({ size: 100 }));
  test('100 workloads with --max-unfinished-rollouts=10: never more than 10 at any instant', () =>
    changeAllAtOnce({ size: 100, cap: 10 }));
});
