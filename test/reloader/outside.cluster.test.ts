/** Takeover, hostile input, permissions, planted secrets and old defects, on the real control plane. */
import { playReally } from './play-really.ts';
import { canary } from './scenarios/canary.ts';
import { defects } from './scenarios/defects.ts';
import { hostile } from './scenarios/hostile.ts';
import { permissions } from './scenarios/permissions.ts';
import { running } from './scenarios/running.ts';
import { takeover } from './scenarios/takeover.ts';

playReally([...takeover, ...hostile, ...defects, ...canary, ...running, ...permissions]);
