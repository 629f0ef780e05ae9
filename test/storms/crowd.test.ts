/** O2 in a small size; the long tests have the full size. */
import { describe, test } from 'vitest';
import { changeAllAtOnce } from './crowd.ts';

describe('O2: every Secret changes within a second', { timeout: 120_000 }, () => {
  test('60 workloads: all are rolled out, each once', () => changeAllAtOnce({ size: 60 }));
  test('60 workloads with --max-unfinished-rollouts=6: never more than 6 at any instant', () =>
    changeAllAtOnce({ size: 60, cap: 6 }));
});
