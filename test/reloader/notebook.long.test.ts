/** The notebook of a thousand workloads, on the real control plane: what its audit log says was written. */
import { playReally } from './play-really.ts';
import { largeInstallation } from './scenarios/notebook.ts';

playReally(largeInstallation);
