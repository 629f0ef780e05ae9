/** The rules of the ledger and deferral, on minicluster. */
import { playVirtually } from './play-virtually.ts';
import { careRules } from './scenarios/care-rules.ts';
import { deferral } from './scenarios/deferral.ts';
import { doubts } from './scenarios/doubts.ts';
import { gates } from './scenarios/gates.ts';
import { ledgerRules } from './scenarios/ledger-rules.ts';
import { onlyRun, releases } from './scenarios/releases.ts';
import { sameSecond } from './scenarios/same-second.ts';

playVirtually('Rules 1 to 5', ledgerRules);
playVirtually('Rules 6 to 13', careRules);
playVirtually('Deferral', deferral);
playVirtually('Gates', gates);
playVirtually('Doubts', doubts);
playVirtually('Releases', [...releases({ releases: 60, pairs: 1 }), ...onlyRun]);
playVirtually('Within one second', sameSecond(8));
