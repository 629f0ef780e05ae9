/** The notebook, on the real control plane, with its audit log as the record of all writes. */
import { playReally } from './play-really.ts';
import { notebook } from './scenarios/notebook.ts';

playReally(notebook);
