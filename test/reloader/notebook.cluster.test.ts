/** The notebook, on the real control plane: what its audit log says was written. */
import { playReally } from './play-really.ts';
import { notebook } from './scenarios/notebook.ts';

playReally(notebook);
