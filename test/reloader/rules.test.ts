import { playVirtually } from './play-virtually.ts';
import { rules } from './scenarios/rules.ts';

playVirtually('The thirteen rules', rules);
