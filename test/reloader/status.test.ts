import { playVirtually } from './play-virtually.ts';
import { status } from './scenarios/status.ts';

playVirtually('Scope and status', status);
