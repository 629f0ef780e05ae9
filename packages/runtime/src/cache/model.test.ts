import { describe, it } from 'vitest';
import { checkAgainstModel } from './model.test.support.ts';

describe('An informer under any sequence of faults', () => {
  it('ends up with the state of the server, and its handlers with the same', async () => {
    await checkAgainstModel({ runs: 200, seed: Number(process.env.SEED ?? 1) });
  });
});
