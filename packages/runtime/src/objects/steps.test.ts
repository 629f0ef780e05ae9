import { expect, test } from 'vitest';
import { NotFoundError } from '../client/errors.ts';
import { runSteps, type Step, StepError } from './steps.ts';

const step = (
  name: string,
  run: Step<string[], string>['run'] = async () => undefined,
): Step<string[], string> => ({
  name,
  run: async (log) => {
    log.push(name);
    return await run(log);
  },
});

test('steps run in order, one after the other', async () => {
  const log: string[] = [];
  const slow = step('first', async () => {
    await Promise.resolve();
    log.push('first is done');
  });
  expect(await runSteps(log, [slow, step('second')])).toBeUndefined();
  expect(log).toEqual(['first', 'first is done', 'second']);
});

test('the first result ends the list and says where it came from', async () => {
  const log: string[] = [];
  const outcome = await runSteps(log, [step('a'), step('b', async () => 'wait'), step('c')]);
  expect(outcome).toEqual({ step: 'b', result: 'wait' });
  expect(log).toEqual(['a', 'b']);
});

test('the first failure ends the list, names its step and keeps its cause', async () => {
  const log: string[] = [];
  const cause = new NotFoundError({ code: 404, reason: 'NotFound', message: 'secret "x" not found' });
  const failing = step('Deployment', async () => {
    throw cause;
  });
  const error = await runSteps(log, [failing, step('Service')]).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StepError);
  expect(error).toMatchObject({ step: 'Deployment', cause });
  expect(String(error)).toBe('StepError: Step "Deployment" failed: secret "x" not found (404 NotFound)');
  expect(log).toEqual(['Deployment']);
});

test('an abort between two steps stops the list', async () => {
  const log: string[] = [];
  const stop = new AbortController();
  const first = step('first', async () => stop.abort(new Error('enough')));
  await expect(runSteps(log, [first, step('second')], stop.signal)).rejects.toThrow('enough');
  expect(log).toEqual(['first']);
});
