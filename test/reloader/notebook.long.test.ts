/**
 * The notebook of a thousand workloads and of a hundred pending changes, on the real control plane, by its audit log.
 */
import { playReally } from './play-really.ts';
import { inNumbers } from './scenarios/notebook.ts';

playReally(inNumbers);
