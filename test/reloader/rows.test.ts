/** The rows of the requirements and the acceptance table, on minicluster. */
import { playVirtually } from './play-virtually.ts';
import { acceptance } from './scenarios/acceptance.ts';
import { annotations } from './scenarios/annotations.ts';
import { configs } from './scenarios/configs.ts';
import { readiness } from './scenarios/readiness.ts';
import { sources } from './scenarios/sources.ts';
import { status } from './scenarios/status.ts';
import { targets } from './scenarios/targets.ts';
import { told } from './scenarios/told.ts';

playVirtually('Sources', sources);
playVirtually('Annotations', annotations);
playVirtually('ReloaderConfigs', configs);
playVirtually('Targets', targets);
playVirtually('Scope and status', status);
playVirtually('Readiness', readiness);
playVirtually('What people are told', told);
playVirtually('Documents 0 and 1', acceptance);
