import { describe, it } from 'vitest';
import { checkAgainstModel } from './model.test.support.ts';

describe('An informer under any sequence of faults', () => {
  it('ends up with the state of the server in 30 000 sequences', async () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
    process.stdout.write(`SEED=${seed}\n`);
    await checkAgainstModel({ runs: 30_000, seed });
  });
});
