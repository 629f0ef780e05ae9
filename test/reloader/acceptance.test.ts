import { playVirtually } from './play-virtually.ts';
import { acceptance } from './scenarios/acceptance.ts';

playVirtually('Documents 0 and 1', acceptance);
