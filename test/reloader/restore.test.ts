/** ConfigMaps are put back after a reload that failed, on minicluster. */
import { playVirtually } from './play-virtually.ts';
import { restoring } from './scenarios/restoring.ts';

playVirtually('A reload that failed, and a ConfigMap that is put back', restoring);
