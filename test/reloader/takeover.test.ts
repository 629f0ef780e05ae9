import { playVirtually } from './play-virtually.ts';
import { takeover } from './scenarios/takeover.ts';

playVirtually('Taking over and handing back', takeover);
