import { expect, test } from 'vitest';
import { podFailure, podFailureText } from './pod-failure.ts';

const named = { metadata: { name: 'web-1' } };
const one = (status: object, init = false) => ({
  ...named,
  status: { [init ? 'initContainerStatuses' : 'containerStatuses']: [{ name: 'main', ...status }] },
});
const waiting = (reason: string, message?: string) => ({ state: { waiting: { reason, message } } });
const ended = (exitCode: number) => ({ terminated: { exitCode, reason: 'Error', message: 'password=1' } });

test.each<[string, object, string | undefined]>([
  ['runs', one({ state: { running: {} } }), undefined],
  ['starts', one(waiting('ContainerCreating')), undefined],
  ['has no status', named, undefined],
  ['ended well', one({ state: ended(0), restartCount: 2 }), undefined],
  ['ended badly for the first time', one({ state: ended(1), restartCount: 0 }), undefined],
  [
    'crashes',
    one({ ...waiting('CrashLoopBackOff', 'back-off'), lastState: ended(137), restartCount: 4 }),
    'pod web-1: container main: CrashLoopBackOff, exit code 137, 4 restarts',
  ],
  [
    'has just crashed again',
    one({ state: ended(2), restartCount: 1 }),
    'pod web-1: container main: Error, exit code 2, 1 restart',
  ],
  [
    'gets no image',
    one(waiting('ImagePullBackOff', 'Back-off pulling image "a:1"')),
    'pod web-1: container main: ImagePullBackOff (Back-off pulling image "a:1")',
  ],
  [
    'lacks its Secret',
    one(waiting('CreateContainerConfigError', 'secret "db" not found')),
    'pod web-1: container main: CreateContainerConfigError (secret "db" not found)',
  ],
  [
    'fails while it is prepared',
    one({ ...waiting('CrashLoopBackOff'), restartCount: 1 }, true),
    'pod web-1: container main: CrashLoopBackOff, 1 restart',
  ],
  // The kubelet's message for this reason quotes the command line, which may hold a Secret's value.
  [
    'cannot be run',
    one(waiting('RunContainerError', 'exec: "--password=1": not found')),
    'pod web-1: container main: RunContainerError',
  ],
])('a pod that %s', (_, pod, expected) => {
  const failure = podFailure(pod);
  expect(failure && podFailureText(failure)).toBe(expected);
});
