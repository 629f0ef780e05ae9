/** Which workloads a change reaches, and in which order, on minicluster. */
import { playVirtually } from './play-virtually.ts';
import { conditions } from './scenarios/conditions.ts';

playVirtually('Conditions', conditions);
