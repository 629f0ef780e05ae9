/** C1, the moment that differs from the others only by what the operator had in mind. */
import { dieAtEveryWrite } from './crash.suite.ts';

dieAtEveryWrite([['before', 'before a write is read']]);
