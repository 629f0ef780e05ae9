import { test } from 'vitest';
import { roughWeather } from './weather.ts';

test('explore', { timeout: 3_000_000 }, async () => {
  const from = Number(process.env.FROM ?? 1);
  const to = Number(process.env.TO ?? 20);
  const lines = Number(process.env.LINES ?? 3);
  for (let seed = from; seed <= to; seed++) {
    process.env.SEED = String(seed);
    try {
      await roughWeather(1);
    } catch (error) {
      console.log(
        String(error instanceof Error ? error.message : error)
          .split('\n')
          .slice(0, lines)
          .join('\n')
          .slice(0, lines * 400),
      );
    }
  }
});
