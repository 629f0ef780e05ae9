/** The notebook, on minicluster. */
import { playVirtually } from './play-virtually.ts';
import { notebook } from './scenarios/notebook.ts';

playVirtually('The notebook', notebook);
