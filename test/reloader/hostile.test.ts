import { playVirtually } from './play-virtually.ts';
import { hostile } from './scenarios/hostile.ts';

playVirtually('Hostile input', hostile);
