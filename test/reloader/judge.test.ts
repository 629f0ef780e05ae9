/** Rollouts that fail, wait or block others, on minicluster. */
import { playVirtually } from './play-virtually.ts';
import { failing } from './scenarios/failing.ts';
import { slots } from './scenarios/slots.ts';

playVirtually('Rollouts that fail', failing);
playVirtually('The cap', slots);
