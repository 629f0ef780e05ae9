/** Failed reloads are undone, on minicluster. */
import { playVirtually } from './play-virtually.ts';
import { undoing } from './scenarios/undoing.ts';

playVirtually('A reload that failed, and a source that goes back', undoing);
