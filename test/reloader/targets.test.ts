import { playVirtually } from './play-virtually.ts';
import { targets } from './scenarios/targets.ts';

playVirtually('Targets', targets);
