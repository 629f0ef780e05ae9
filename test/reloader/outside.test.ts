/** Takeover, hostile input, permissions, planted secrets, old defects and load, on minicluster. */
import { playVirtually } from './play-virtually.ts';
import { canary } from './scenarios/canary.ts';
import { defects } from './scenarios/defects.ts';
import { hostile } from './scenarios/hostile.ts';
import { permissions } from './scenarios/permissions.ts';
import { running } from './scenarios/running.ts';
import { takeover } from './scenarios/takeover.ts';

playVirtually('Taking over and handing back', takeover);
playVirtually('Hostile input', hostile);
playVirtually('Permissions', permissions);
playVirtually('Planted secrets', canary);
playVirtually('Defects of the earlier operator', defects);
playVirtually('Running it', running);
