/**
 * Rules about changes within one second, in large numbers, on the real control plane: sources created and changed
 * within it, for every pair of role and settling, and releases by Helm. The scenarios run one after the other: with ten
 * at once, the machine would be too slow to hit one second.
 */
import { playReally } from './play-really.ts';
import { releases } from './scenarios/releases.ts';
import { sameSecond, sameSecondOtherwise } from './scenarios/same-second.ts';

const TRIES = { running: 60, starting: 20 };

const scenarios = [
  ...releases({ releases: 6, pairs: 10 }),
  ...sameSecond({ own: TRIES, chart: TRIES }),
  ...sameSecondOtherwise(TRIES),
];
playReally(scenarios.map((each) => ({ ...each, alone: true })));
