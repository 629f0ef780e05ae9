/** Content that is validated before it is rolled out, on minicluster. */
import { playVirtually } from './play-virtually.ts';
import { validating } from './scenarios/validating.ts';

playVirtually('Content that has to be something', validating);
