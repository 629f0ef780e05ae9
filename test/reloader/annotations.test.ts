import { playVirtually } from './play-virtually.ts';
import { annotations } from './scenarios/annotations.ts';

playVirtually('Annotations', annotations);
