import { defineConfig } from 'vitest/config';
import { patient, reporters, resolve } from './vitest.shared.ts';

/** Suites that fill the machine by themselves: many scenarios side by side, kills, attacks, loads. */
const busy = [
  'test/{failover,hostile,kills,reloader,rollouts,storms}/**/*.cluster.test.ts',
  'test/control-plane/interruption.cluster.test.ts',
];

/** Of those, the suites that wait for timeouts most of the time: two at a time left half of the machine idle. */
const waiting = [
  'test/reloader/{judge,notebook,order,restore,undo,undo-argo,validate,verify}.cluster.test.ts',
];

const shared = {
  exclude: ['**/node_modules/**', '**/dist/**'],
  expect: patient,
  testTimeout: 120_000,
  hookTimeout: 180_000,
};

// Two or three control planes at a time where the tests mostly wait for one. The busy suites get the machine to
// themselves: two cores carry no more without timeouts that mean nothing.
export default defineConfig({
  test: {
    reporters,
    projects: [
      {
        ...resolve,
        test: {
          ...shared,
          name: 'pairs',
          include: [
            '{packages,examples}/*/{src,test}/**/*.cluster.test.ts',
            '{test,bench}/**/*.cluster.test.ts',
          ],
          exclude: [...shared.exclude, ...busy],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        ...resolve,
        test: {
          ...shared,
          name: 'busy',
          include: busy,
          exclude: [...shared.exclude, ...waiting],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...resolve,
        test: { ...shared, name: 'waiting', include: waiting, maxWorkers: 3, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
