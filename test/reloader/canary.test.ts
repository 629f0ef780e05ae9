import { playVirtually } from './play-virtually.ts';
import { canary } from './scenarios/canary.ts';

playVirtually('Planted secrets', canary);
