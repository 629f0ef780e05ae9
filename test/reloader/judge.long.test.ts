/** The cap over two hundred workloads, on minicluster. */
import { playVirtually } from './play-virtually.ts';
import { manySlots } from './scenarios/slots.ts';

playVirtually('The cap over many', manySlots);
