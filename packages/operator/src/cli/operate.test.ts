import { LeaseLostError } from '@reloader/runtime';
import { createCapturingLogger } from '@reloader/runtime/testing';
import { expect, test } from 'vitest';
import { UsageError } from '../settings/usage-error.ts';
import { operate, type RunOperator } from './operate.ts';

function attempt(flags: readonly string[], run: RunOperator = () => Promise.resolve()) {
  const log = createCapturingLogger();
  const formats: string[] = [];
  const code = operate(flags, {}, run, ({ format }) => {
    formats.push(format);
    return log.logger;
  });
  return { log, formats, code };
}

test('an ordered end is 0', async () => {
  expect(await attempt([]).code).toBe(0);
});

test('the operator gets the settings and the logger that the flags ask for', async () => {
  let settled: number | undefined;
  const { code, formats } = attempt(['--settle=3s', '--log-format=json'], async ({ reloader }) => {
    settled = reloader.settleMs;
  });
  await code;
  expect(settled).toBe(3000);
  expect(formats).toEqual(['json']);
});

test.each([new Error('no cluster'), new LeaseLostError('taken')])(
  '%s is 1, and in the log',
  async (error) => {
    const { code, log } = attempt([], () => Promise.reject(error));
    expect(await code).toBe(1);
    expect(log.entries).toEqual([{ level: 'error', message: 'The operator failed', values: { error } }]);
  },
);

test('wrong usage runs nothing', async () => {
  let ran = false;
  const { code } = attempt(['--nonsense'], async () => {
    ran = true;
  });
  await expect(code).rejects.toThrow(UsageError);
  expect(ran).toBe(false);
});

test('the listeners of the process are gone afterwards', async () => {
  const count = (): number =>
    ['SIGTERM', 'SIGINT', 'unhandledRejection', 'uncaughtException'].reduce(
      (sum, name) => sum + process.listenerCount(name),
      0,
    );
  const before = count();
  let during = 0;
  await attempt([], async () => {
    during = count();
  }).code;
  expect(during).toBe(before + 4);
  expect(count()).toBe(before);
});
