import { playVirtually } from './play-virtually.ts';
import { running } from './scenarios/running.ts';

playVirtually('Running it', running);
