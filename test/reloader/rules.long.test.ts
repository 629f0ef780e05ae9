/**
 * Rules that are about one second, in numbers, on the real control plane: created and changed within it, by every pair of
 * role and settling, and releases by Helm. One after the other: a second is short on a machine that plays ten scenarios.
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
