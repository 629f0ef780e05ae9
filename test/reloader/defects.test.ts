import { playVirtually } from './play-virtually.ts';
import { defects } from './scenarios/defects.ts';

playVirtually('Defects of the earlier operator', defects);
