/** The rows of the requirements and the acceptance table, on the real control plane. */
import { playReally } from './play-really.ts';
import { acceptance } from './scenarios/acceptance.ts';
import { annotations } from './scenarios/annotations.ts';
import { configs } from './scenarios/configs.ts';
import { readiness } from './scenarios/readiness.ts';
import { sources } from './scenarios/sources.ts';
import { status } from './scenarios/status.ts';
import { targets } from './scenarios/targets.ts';
import { told } from './scenarios/told.ts';

playReally(
  [...sources, ...annotations, ...configs, ...targets, ...status, ...readiness, ...told, ...acceptance],
  {
    foreignKinds: true,
  },
);
