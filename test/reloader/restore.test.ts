/** The operator restores ConfigMaps after a failed reload, on minicluster. */
import { playVirtually } from './play-virtually.ts';
import { restoring } from './scenarios/restoring.ts';

playVirtually('A reload that failed, and a ConfigMap that is put back', restoring);
