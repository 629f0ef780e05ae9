import { playVirtually } from './play-virtually.ts';
import { careRules } from './scenarios/care-rules.ts';
import { ledgerRules } from './scenarios/ledger-rules.ts';

playVirtually('The thirteen rules', [...ledgerRules, ...careRules]);
