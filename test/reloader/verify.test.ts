/** The outcome of reloads, on minicluster. */
import { playVirtually } from './play-virtually.ts';
import { holding } from './scenarios/holding.ts';
import { verifying } from './scenarios/verifying.ts';

playVirtually('Reloads that are verified', verifying);
playVirtually('A content that failed', holding);
