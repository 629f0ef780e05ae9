/** The rules of the ledger and deferral, on the real control plane, with real kubectl and Helm. */
import { playReally } from './play-really.ts';
import { deferral } from './scenarios/deferral.ts';
import { rules } from './scenarios/rules.ts';

playReally([...rules, ...deferral]);
