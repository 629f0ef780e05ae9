import { playVirtually } from './play-virtually.ts';
import { sources } from './scenarios/sources.ts';

playVirtually('Sources', sources);
