/** C1: the operator dies at every single one of its writes. */
import { dieAtEveryWrite } from './crash.suite.ts';

dieAtEveryWrite([
  ['unanswered', 'before a write is answered'],
  ['answered', 'after a write is answered'],
  ['lost', 'alive, but without the answer'],
]);
