/** C1, the moment that differs from the others only by the operator's state in memory. */
import { dieAtEveryWrite } from './crash.suite.ts';

dieAtEveryWrite([['before', 'before a write is read']]);
