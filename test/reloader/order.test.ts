/** Which workloads a change reaches, and in which order, on minicluster. */
import { playVirtually } from './play-virtually.ts';
import { conditions } from './scenarios/conditions.ts';
import { canaries, waves } from './scenarios/order.ts';

playVirtually('Conditions', conditions);
playVirtually('Waves', waves);
playVirtually('Canaries', canaries);
