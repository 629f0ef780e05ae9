import { playVirtually } from './play-virtually.ts';
import { deferral } from './scenarios/deferral.ts';

playVirtually('Deferral', deferral);
