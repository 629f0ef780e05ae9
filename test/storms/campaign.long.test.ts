import { expect, test } from 'vitest';
import { campaign } from './campaign/campaign.ts';

/** Ten thousand seeds take hours: they can be spread over machines, or nights. */
const first = Number(process.env.CAMPAIGN_FIRST ?? 1);
const count = Number(process.env.CAMPAIGN_COUNT ?? 10_000);
/** The violations and the gates; the whole story is told with `SEED`. */
const LINES_OF_FAILURE = 12;

test('in ten thousand seeds nothing is lost, twice or too early', { timeout: 24 * 3_600_000 }, async () => {
  const onFailure = ({ message }: Error): void =>
    console.error(message.split('\n').slice(0, LINES_OF_FAILURE).join('\n'));
  const { judged } = await campaign({ first, count, onFailure });
  expect(judged).toBeGreaterThan(0);
});
